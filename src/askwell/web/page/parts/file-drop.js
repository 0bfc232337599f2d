// A place to choose files by clicking or by keyboard, and to drop them on: a field for files lies over all of it.
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
  const input = h("input", { type: "file", accept, multiple, title: "", onchange: taken });
  const element = h("label", { class: "drop" }, input, icon("plus"), words);
  for (const name of ["dragenter", "dragleave", "drop"]) input.addEventListener(name, () => element.classList.toggle("is-over", name === "dragenter"));
  // A browser would open what is dropped on a field that takes nothing.
  for (const name of ["dragover", "drop"]) element.addEventListener(name, (/** @type {Event} */ event) => input.disabled && event.preventDefault());

  function taken() {
    const files = [...input.files];
    // The same file may be chosen again.
    input.value = "";
    if (files.length) onFiles(files);
  }
  return { element, input };
}
