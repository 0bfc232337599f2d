// A place to choose files by clicking or by keyboard, and to drop them on.
import { h, icon } from "../lib/dom.js";

/**
 * @param {object} given
 * @param {string} given.accept the endings of names that may be chosen
 * @param {boolean} [given.multiple]
 * @param {import("../lib/dom.js").Child[]} given.words what stands in it
 * @param {(files: File[]) => void} given.onFiles
 * @returns {{element: HTMLLabelElement, input: HTMLInputElement}} while `input` is disabled, nothing is taken
 */
export function fileDrop({ accept, multiple = false, words, onFiles }) {
  const input = h("input", { type: "file", accept, multiple, class: "for-readers", onchange: () => taken([...input.files]) });
  const element = h("label", { class: "drop" }, input, icon("plus"), words);
  for (const name of ["dragenter", "dragover"]) element.addEventListener(name, (/** @type {Event} */ event) => dragged(event, true));
  for (const name of ["dragleave", "drop"]) element.addEventListener(name, (/** @type {Event} */ event) => dragged(event, false));
  element.addEventListener("drop", (/** @type {DragEvent} */ event) => taken([...(event.dataTransfer?.files ?? [])]));

  /** @param {Event} event @param {boolean} isOver */
  function dragged(event, isOver) {
    event.preventDefault();
    element.classList.toggle("is-over", isOver);
  }

  /** @param {File[]} files */
  function taken(files) {
    // The same file may be chosen again.
    input.value = "";
    if (files.length && !input.disabled) onFiles(files);
  }
  return { element, input };
}
