// What whoever saves something has to decide first: shown in the form, which stays open.
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";

/** Something was not saved, and may be in another way. */
export class Undecided extends Error {
  /** @param {import("../../lib/dom.js").Child[]} shown */
  constructor(...shown) {
    super("");
    this.shown = shown;
  }
}

/** @param {string} text @param {(event: Event) => void} onclick */
export function choice(text, onclick) {
  return h("button", { class: "button is-small", type: "button", onclick }, text);
}

/** Save the form that a button stands in. @param {Event} event */
export function saveAgain({ currentTarget }) {
  /** @type {HTMLElement} */ (currentTarget).closest("form")?.requestSubmit();
}

/**
 * What has become of an entry meanwhile, and what its form may be left with.
 * @param {Record<string, any> | undefined} now undefined where it was deleted
 * @returns {{text: string, leave: string}}
 */
export function become(now) {
  return now ? { text: t("keep.changed"), leave: t("keep.theirs") } : { text: t("keep.deleted"), leave: t("keep.leave.deleted") };
}
