// What is asked back: options to choose, values to fill in, or words.
import { fill, h, isEntered } from "../lib/dom.js";
import { isNumeric } from "../lib/format.js";
import { isFocusFree } from "../lib/layer.js";
import { t } from "../lib/text.js";
import { failure, unsay } from "./notes.js";

let count = 0;

/**
 * @param {Record<string, any>} asked the `clarification` of a result
 * @param {(correction: Record<string, unknown>) => Promise<void>} onAnswer
 * @param {import("./keep/form-draft.js").FormDraft | null} [draft] keeps what is typed
 * @param {boolean} [teaches] whether an answer may be remembered
 */
export function clarification(asked, onAnswer, draft = null, teaches = false) {
  const tick = h("input", { type: "checkbox" });
  const remember = teaches && remembering(asked.said, tick);
  const problem = h("div", { role: "alert" });
  const parts = asked.kind === "fields" ? [fields(asked.fields ?? [], answer)] : [options(asked.options ?? [], answer)];
  if (asked.allow_text !== false && asked.kind !== "fields") parts.push(words(answer));
  const id = `clarify${(count += 1)}`;
  let isSending = false;
  const skip = asked.kind === "fields" && h("button", { class: "button is-small", type: "button", onclick: () => answer({ type: "skip" }) }, t("clarify.skip"));
  const element = h("section", { class: "clarify card stack", role: "group", "aria-labelledby": id, onkeydown: numbered }, h("p", { class: "clarify-question", id }, h("bdi", null, asked.question)), attempts(asked), parts, remember, problem, skip && h("div", { class: "row" }, skip));
  draft?.attach(element);
  requestAnimationFrame(() => {
    // Whole, where it fits above the box.
    element.scrollIntoView({ block: "nearest" });
    // Who types something meanwhile is not taken away from it.
    if (!isFocusFree(element, element.closest("article"))) return;
    /** @type {HTMLElement | null} */ (element.querySelector("button, input"))?.focus({ preventScroll: true });
    // With the focus readers come to the group, which is called like the question.
    unsay();
  });

  /** The number of an option chooses it, except where it is typed. @param {KeyboardEvent} event */
  function numbered(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLInputElement) return;
    const option = /^[1-9]$/.test(event.key) && element.querySelectorAll(".option")[Number(event.key) - 1];
    if (option) /** @type {HTMLElement} */ (option).click();
  }

  /** @param {Record<string, unknown>} correction */
  async function answer(correction) {
    if (isSending) return;
    // Nothing is disabled: that would take the focus away.
    isSending = true;
    element.setAttribute("aria-busy", "true");
    try {
      await onAnswer(tick.checked ? { ...correction, remember: true } : correction);
      draft?.forget();
    } catch (error) {
      fill(problem, failure(error));
    } finally {
      isSending = false;
      element.removeAttribute("aria-busy");
    }
  }
  return element;
}

/** Which attempt this is, from the second on. @param {Record<string, any>} asked */
function attempts({ attempt, max_attempts: most }) {
  return most && attempt > 1 && h("p", { class: "small muted" }, t("clarify.attempt", { attempt, most }));
}

/** The tick for remembering what words mean. @param {string | undefined} said @param {HTMLElement} tick */
function remembering(said, tick) {
  return said && h("label", { class: "row small" }, tick, h("span", null, t("clarify.remember", { said })));
}

/** @param {Record<string, any>[]} all @param {(correction: Record<string, unknown>) => void} answer */
function options(all, answer) {
  const buttons = all.map((option, at) =>
    h(
      "button",
      { class: "option", type: "button", "aria-keyshortcuts": at < 9 ? at + 1 : null, onclick: () => answer({ type: "choice", option_id: option.id }) },
      h("span", { class: "option-number", "aria-hidden": "true" }, at + 1),
      h("span", null, h("strong", null, option.label), option.detail && h("small", { class: "muted" }, option.detail), option.condition && h("code", { class: "small muted" }, option.condition)),
    ),
  );
  return h("div", { class: "options" }, buttons);
}

/** @param {(correction: Record<string, unknown>) => void} answer */
function words(answer) {
  const input = h("input", { class: "input", required: true, maxlength: 1000, placeholder: t("clarify.words"), "aria-label": t("clarify.words") });
  return h("div", { class: "row clarify-words" }, input, sender("button", [[input, t("clarify.missing")]], () => answer({ type: "text", text: input.value })));
}

/**
 * The button that sends what stands in fields, as Enter does in these; the browser says what they lack. They are in no
 * form: frames of other sites may forbid these.
 * @param {string} style @param {[input: HTMLInputElement, missing: string][]} inputs with what is said where nothing stands in them
 * @param {() => void} send
 */
function sender(style, inputs, send) {
  const sent = () => {
    for (const [input, missing] of inputs) input.setCustomValidity(input.required && !input.validity.badInput && !input.value.trim() ? missing : "");
    if (inputs.every(([input]) => input.reportValidity())) send();
  };
  for (const [input] of inputs) {
    input.enterKeyHint = "send";
    input.addEventListener("input", () => input.setCustomValidity(""));
    input.addEventListener("keydown", (event) => {
      if (!isEntered(event)) return;
      event.preventDefault();
      sent();
    });
  }
  return h("button", { class: style, type: "button", onclick: sent }, t("clarify.send"));
}

const INPUTS = /** @type {[RegExp, string][]} */ ([
  [/^DATE$/i, "date"],
  [/^(TIMESTAMP|DATETIME)/i, "datetime-local"],
]);

/** @param {Record<string, any>[]} all @param {(correction: Record<string, unknown>) => void} answer */
function fields(all, answer) {
  const made = all.map((one) => {
    const type = isNumeric({ name: one.name, type: one.type }) ? "number" : (INPUTS.find(([pattern]) => pattern.test(one.type))?.[1] ?? "text");
    const input = h("input", { class: "input", type, step: type === "number" ? "any" : null, required: one.required && one.default === undefined, value: one.default ?? "" });
    const label = h("label", { class: "field" }, h("span", null, one.name, one.required ? "" : ` ${t("optional")}`), input, one.description && h("small", null, one.description));
    return { one, input, label };
  });
  const send = () => {
    /** @type {[string, unknown][]} */
    const said = made.filter(({ input }) => input.value !== "").map(({ one, input }) => [one.name, value(one, input)]);
    answer({ type: "fields", values: Object.fromEntries(said) });
  };
  const needed = made.map(({ one, input }) => /** @type {[HTMLInputElement, string]} */ ([input, t("clarify.missing.field", { name: one.name })]));
  return h("div", { class: "stack" }, made.map(({ label }) => label), h("div", null, sender("button is-main", needed, send)));
}

/** @param {Record<string, any>} one @param {HTMLInputElement} input */
function value(one, input) {
  if (/^LIST/i.test(one.type)) return input.value.split(",").map((part) => part.trim());
  if (/^BOOL/i.test(one.type)) return /^(true|yes|1)$/i.test(input.value);
  return input.type === "number" && Number.isSafeInteger(Number(input.value)) ? Number(input.value) : input.value;
}
