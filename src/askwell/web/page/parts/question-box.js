// The box that questions are typed into. Enter asks, Shift+Enter begins another line. It is no form: frames of other
// sites may forbid these.
import { fill, h, icon, isEntered } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { toast } from "./notes.js";

const LONGEST = 10_000;
/** Under which name the question that is typed is kept. */
export const DRAFT = "askwell.draft";

/** Go to where a question is asked, with this one in the box. @param {import("../main.js").Context} context @param {string} question */
export function draftQuestion({ storage, go }, question) {
  storage.setItem(DRAFT, question);
  go("ask");
}

/**
 * @typedef {object} Told
 * @property {(question: string) => void} onAsk
 * @property {() => void} onStop
 * @property {import("../main.js").Context["storage"]} storage where what is being typed is kept
 * @property {string} [draft] under which name
 * @property {string} [name] what the box is for
 * @property {string} [placeholder]
 */

/**
 * @param {Told} told
 * @returns {{element: HTMLElement, working: (isWorking: boolean) => void, focus: () => void, put: (text: string) => void, offer: (text: string) => void, empty: () => void, placeholder: (text: string) => void}} `put` brings back a text, unless something else was typed meanwhile; `offer` puts one there in the place of what was offered before
 */
export function questionBox({ onAsk, onStop, storage, draft = DRAFT, name = t("question"), placeholder = t("question.placeholder") }) {
  const field = h("textarea", { class: "question", rows: 1, maxlength: LONGEST, placeholder, "aria-label": name, enterkeyhint: "send", autocapitalize: "sentences" });
  const button = h("button", { class: "button is-main icon-button", type: "button", onclick: pressed });
  const left = h("span", { class: "small muted", "aria-live": "polite" });
  const element = h("div", { class: "question-box", part: "box" }, field, h("div", { class: "row" }, left, button));
  let isWorking = false;
  let offered = "";
  field.value = storage.getItem(draft) ?? "";

  field.addEventListener("input", changed);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.shiftKey || !isEntered(event)) return;
    event.preventDefault();
    // Enter asks, and is no word to stop: what is typed meanwhile waits.
    if (isWorking) toast(t("question.wait"));
    else send();
  });

  function changed() {
    storage.setItem(draft, field.value);
    counted();
  }

  function counted() {
    left.textContent = field.value.length > LONGEST * 0.9 ? t("question.left", { count: LONGEST - field.value.length }) : "";
  }

  function pressed() {
    if (isWorking) onStop();
    else send();
  }

  function send() {
    const question = field.value.trim();
    if (!question) return;
    empty();
    onAsk(question);
  }

  /** @param {boolean} now */
  function working(now) {
    isWorking = now;
    button.setAttribute("aria-label", t(now ? "stop" : "ask"));
    fill(button, icon(now ? "stop" : "send"));
  }

  /** @param {string} text */
  function put(text) {
    field.value ||= text;
    changed();
  }

  /** @param {string} text */
  function offer(text) {
    if (field.value !== "" && field.value !== offered) return;
    field.value = offered = text;
    changed();
  }

  function empty() {
    field.value = "";
    changed();
  }

  function focus() {
    // On a phone that would bring up the keyboard.
    if (!matchMedia("(pointer: coarse)").matches) requestAnimationFrame(() => field.focus({ preventScroll: true }));
  }
  working(false);
  counted();
  return { element, working, focus, put, offer, empty, placeholder: (text) => (field.placeholder = text) };
}
