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
 * What has become of an entry meanwhile, and what its form may be left with.
 * @param {Record<string, any> | undefined} now undefined where it was deleted
 * @returns {{text: string, leave: string}}
 */
export function become(now) {
  return now ? { text: t("keep.changed"), leave: t("keep.theirs") } : { text: t("keep.deleted"), leave: t("keep.leave.deleted") };
}

/**
 * Raises `Undecided` where an entry is not what it was when it was opened.
 * @param {import("../../main.js").Context} context @param {string} path @param {string} key where the list has its items
 * @param {Record<string, any>} opened
 * @param {object} given
 * @param {(event: Event, now: any) => void} given.anyway told what it is now, undefined where it was deleted
 * @param {() => void} given.theirs
 * @param {(now: any) => import("../../lib/dom.js").Child} given.tell shows what it is now
 * @param {(one: any) => unknown} [given.part] what people change of it, where it changes by itself too
 * @param {typeof become} [given.said]
 */
export async function requireUnchanged(context, path, key, opened, { anyway, theirs, tell, part = (one) => one, said = become }) {
  const now = (await everything(context, path, key)).find(({ id }) => id === opened.id);
  if (now && JSON.stringify(part(now)) === JSON.stringify(part(opened))) return;
  const { text, leave } = said(now);
  const actions = [choice(t("keep.anyway"), (event) => anyway(event, now)), choice(leave, theirs)];
  throw new Undecided(note("warn", text, "", ...actions), now && tell(now));
}
