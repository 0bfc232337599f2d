// What the page tells people: notes in place, and short words that go away by themselves.
import { fill, h, icon } from "../lib/dom.js";
import { isAbort, ServiceError } from "../lib/errors.js";
import { layer, layerOf, voicesInReach } from "../lib/layer.js";
import { t } from "../lib/text.js";

/**
 * A note in place.
 * @param {"info" | "warn" | "bad" | "good"} kind
 * @param {string} text
 * @param {string} [more] what to do next
 * @param {...import("../lib/dom.js").Child} actions
 */
export function note(kind, text, more = "", ...actions) {
  const picture = kind === "good" ? "check" : kind === "info" ? "info" : "warning";
  const words = h("div", null, h("p", null, h("bdi", null, text)), more && h("p", null, h("bdi", null, more)), actions.length > 0 && h("p", { class: "row" }, actions));
  return h("div", { class: `note is-${kind}`, role: kind === "bad" ? "alert" : null }, icon(picture), words);
}

/**
 * A failure in place, with what to do next, and a button where trying again may help.
 * @param {unknown} error
 * @param {(() => void) | null} [again]
 */
export function failure(error, again = null) {
  const { text, more } = told(error);
  const button = again && h("button", { class: "button is-small", type: "button", onclick: again }, t("again"));
  return note("bad", text, more, button);
}

/**
 * Do what a button asks for, once at a time; while it is done, and where it does not work, `place` says so. The button is
 * not disabled, as it would lose the focus.
 * @param {HTMLElement} button @param {HTMLElement} place @param {() => Promise<unknown>} act
 * @param {{working?: HTMLElement, signal?: AbortSignal}} [how] nobody waits any more once `signal` is aborted
 */
export async function attempt(button, place, act, { working = progress(), signal } = {}) {
  if (button.ariaDisabled) return;
  button.ariaDisabled = "true";
  fill(place, working);
  try {
    await act();
    // It may have shown something there.
    working.remove();
  } catch (error) {
    fill(place, !signal?.aborted && !isAbort(error) && failure(error));
  } finally {
    button.ariaDisabled = null;
  }
}

/** An error in words. @param {unknown} error @returns {{text: string, more: string}} */
export function told(error) {
  if (error instanceof ServiceError) {
    if (error.status === 0) return { text: t("away"), more: t("away.hint") };
    const id = error.status >= 500 && error.requestId ? t("request.id", { id: error.requestId }) : "";
    // Of a field that is wrong the hint is for those who write programs.
    const hint = error.body.detail ? t("invalid.hint") : error.hint;
    return { text: error.message || t("failed"), more: [hint, id].filter(Boolean).join(" ") };
  }
  console.error(error);
  return { text: t("failed"), more: t("failed.hint") };
}

/** Say something for some seconds, also to screen readers. @param {string} text */
export function toast(text) {
  const shown = h("div", { class: "toast" }, text);
  const { toasts } = voicesInReach(layer());
  // Several at once would cover the answer that they are about.
  toasts.replaceChildren(shown);
  setTimeout(() => shown.remove(), 5000);
}

// A text that follows within so many milliseconds takes the place of the one before.
const AT_ONCE = 100;
/** For what changes with each key. */
export const AT_REST = 600;
/** @type {number | undefined} */
let waiting;

/**
 * Say something to screen readers alone.
 * @param {string} text
 * @param {Element} [about] said in the layer of this one, if it is still shown; else in the one that is used
 * @param {number} [wait] in milliseconds; what is said meanwhile takes its place
 */
export function say(text, about, wait = AT_ONCE) {
  clearTimeout(waiting);
  if (!text) return;
  waiting = setTimeout(() => {
    if (about && !about.checkVisibility()) return;
    // An element of its own, as the same text may be said twice.
    const said = h("p", { class: "for-readers" }, text);
    fill(voicesInReach(about ? layerOf(about) : layer()).voice, said);
    setTimeout(() => said.remove(), 5000);
  }, wait);
}

/** What waits to be said is not: readers say it as the focus moves. */
export function unsay() {
  clearTimeout(waiting);
}

/** Say what went wrong, for some seconds. @param {unknown} error */
export function toastError(error) {
  const { text, more } = told(error);
  toast(more ? `${text} ${more}` : text);
}

/**
 * Copy a text, and say so; where the clipboard is blocked, show the text to be copied by hand.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("copied"));
  } catch {
    const field = h("textarea", { class: "input", readonly: true, rows: 8, "aria-label": t("copy.by.hand") }, text);
    const { dialog } = await import("./dialog.js");
    dialog(t("copy.by.hand"), [field], []);
    field.select();
  }
}

/** A bar of what goes on, for who knows how long. @param {string} [name] what that is, for readers @returns {HTMLElement} */
export function progress(name = t("loading")) {
  return h("div", { class: "progress is-open", role: "progressbar", "aria-label": name }, h("span"));
}

/**
 * A place that shows what loads: first that it does, then what came, or why it did not.
 * @template T
 * @param {() => Promise<T>} load
 * @param {(found: T) => import("../lib/dom.js").Child | import("../lib/dom.js").Child[]} show
 * @returns {{element: HTMLElement, reload: () => Promise<void>}}
 */
export function loading(load, show) {
  const element = h("div", { class: "stack", "aria-busy": "true" });
  let turn = 0;
  async function reload() {
    const own = (turn += 1);
    const soon = setTimeout(() => {
      if (!element.hasChildNodes()) fill(element, progress());
    }, 150);
    element.setAttribute("aria-busy", "true");
    try {
      const found = await load();
      if (own === turn) fill(element, show(found));
    } catch (error) {
      if (own === turn && !isAbort(error)) fill(element, failure(error, reload));
    } finally {
      clearTimeout(soon);
      if (own === turn) element.removeAttribute("aria-busy");
    }
  }
  reload();
  return { element, reload };
}
