// Where dialogs and short words are shown: over the page, or within the element on another site that somebody uses.
import { h } from "./dom.js";

/** @type {HTMLElement | null} */
let used = null;

/** What is shown from now on belongs to this one, the root of all within such an element. @param {HTMLElement} root */
export function useLayer(root) {
  used = root;
  voices(root);
}

/** @returns {HTMLElement} */
export function layer() {
  return used?.isConnected ? used : document.body;
}

/** The layer that an element is in. @param {Element} element @returns {HTMLElement} */
export function layerOf(element) {
  return element.closest(".embed-root") ?? document.body;
}

/** What has the focus, as seen from an element. @param {Element} element */
export function focusedIn(element) {
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  return root.activeElement;
}

/** Whether nothing in sight has the focus, as seen from an element. @param {Element} element */
export function isFocusLost(element) {
  const active = focusedIn(element) ?? document.activeElement;
  return active === null || active === document.body || !active.checkVisibility();
}

/** @typedef {{toasts: HTMLElement, voice: HTMLElement}} Voices */

/** @type {WeakMap<Node, Voices>} */
const known = new WeakMap();

/**
 * Where a layer or a dialog shows short words, and where it tells screen readers what only they need. Readers speak what
 * changes in a place that they know, so both are there before their first text.
 * @param {HTMLElement | ShadowRoot} place
 * @returns {Voices}
 */
export function voices(place) {
  const found = known.get(place) ?? {
    toasts: h("div", { class: "toasts", role: "status", "aria-atomic": "false" }),
    voice: h("div", { class: "voice", role: "status" }),
  };
  known.set(place, found);
  if (found.voice.parentNode !== place) place.append(found.toasts, found.voice);
  return found;
}

/** Those that are in reach now: a dialog's own while it is open, as nothing below it is. @param {HTMLElement | ShadowRoot} place */
export function voicesInReach(place) {
  const dialogs = /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("dialog[open]"));
  return voices([...dialogs].at(-1) ?? place);
}

/**
 * Whether the focus may go to an element that has come by itself: where nothing has it, what is around the element does,
 * or a box that nothing was typed into.
 * @param {Element} element @param {Element | null} around
 */
export function isFocusFree(element, around) {
  const active = focusedIn(element) ?? document.activeElement;
  if (isFocusLost(element) || around?.contains(active)) return true;
  return active instanceof HTMLTextAreaElement && active.matches(".question") && active.value === "";
}

/**
 * What has the focus while a place is made anew has it afterwards, where typing goes on too; what is there no more leaves it
 * to something else.
 * @param {HTMLElement} place @param {() => HTMLElement | null} other @returns {() => void}
 */
export function heldFocus(place, other) {
  const held = document.activeElement;
  if (!held || !place.contains(held)) return () => {};
  const nameOf = (/** @type {Element} */ one) => `${one.getAttribute("href")}\n${one.getAttribute("aria-label") ?? one.textContent}`;
  const name = nameOf(held);
  const at = isTyped(held) ? held.selectionStart : null;
  return () => {
    if (!isFocusLost(place)) return;
    const all = /** @type {HTMLElement[]} */ ([...place.querySelectorAll(held.localName)]);
    const found = all.find((one) => nameOf(one) === name) ?? other();
    if (found?.role === "tab") found.click();
    found?.focus({ preventScroll: true });
    if (found && isTyped(found)) found.setSelectionRange(at, at);
  };
}

/** @param {Element} one @returns {one is HTMLInputElement | HTMLTextAreaElement} */
function isTyped(one) {
  return one instanceof HTMLTextAreaElement || (one instanceof HTMLInputElement && /^(text|search)$/.test(one.type));
}
