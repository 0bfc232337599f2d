// What whoever saves something has to decide first: shown in the form, which stays open.
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { note } from "../notes.js";
import { everything } from "./collection.js";

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
 * Raises `Undecided` where an entry is not what it was when it was opened.
 * @param {import("../../main.js").Context} context @param {string} path @param {string} key where the list has its items
 * @param {Record<string, any>} opened
 * @param {{anyway: (event: Event) => void, theirs: () => void, tell: (now: any) => import("../../lib/dom.js").Child}} given `tell` shows what it is now
 */
export async function requireUnchanged(context, path, key, opened, { anyway, theirs, tell }) {
  const now = (await everything(context, path, key)).find(({ id }) => id === opened.id);
  if (now && JSON.stringify(now) === JSON.stringify(opened)) return;
  const actions = [choice(t("keep.anyway"), anyway), choice(t("keep.theirs"), theirs)];
  throw new Undecided(note("warn", t(now ? "keep.changed" : "keep.deleted"), "", ...actions), now && tell(now));
}
