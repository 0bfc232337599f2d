// Changes to what a project knows: sent, followed until they are done, and shown while they go on.
import { newId, startAsk } from "../../lib/asking.js";
import { fill, h, icon } from "../../lib/dom.js";
import { isAbort, ServiceError } from "../../lib/errors.js";
import { events } from "../../lib/events.js";
import { t } from "../../lib/text.js";
import { confirmed } from "../dialog.js";
import { beginning } from "../long-text.js";
import { attempt, failure, progress } from "../notes.js";

/**
 * Change what the project knows, and follow that until it is done; its last state. Raises `ServiceError` where it failed.
 * @param {import("../../main.js").Context} context
 * @param {"POST" | "DELETE"} method
 * @param {string} path
 * @param {{body?: any, query?: Record<string, any>, follow?: string}} sent `follow` is where its event stands, where that is not below `path`
 * @returns {Promise<Record<string, any>>}
 */
export async function changed({ api, signal, away }, method, path, { body, query, follow = path }) {
  const { event_id: id } = await api.send(method, path, body, { query, signal });
  const event = `${follow}/${id}`;
  /** @type {Record<string, any> | null} */
  let last = null;
  for await (const { data } of events(api, `${event}/events`, { signal, onAway: away })) last = data;
  const end = last?.status ? last : await api.get(event, {}, signal);
  if (end.status === "failed") throw new ServiceError(422, { ...end.error, remarks: end.remarks });
  return end;
}

/** What stands where something is done now. @param {string} text */
export function working(text) {
  return h("div", { class: "keep-working" }, h("p", { class: "small muted", role: "status" }, text), progress(text));
}

/**
 * A button that does something; while it does, and where it does not work, `place` says so.
 * @param {object} given
 * @param {import("../../lib/dom.js").Child[]} given.label
 * @param {string} [given.name] what readers hear; begins with what is to be read
 * @param {string} [given.style]
 * @param {string} given.working what it does, in words
 * @param {HTMLElement} given.place
 * @param {() => Promise<unknown>} given.act
 * @param {{question: string, action: string}} [given.sure] asked before
 */
export function acting({ label, name, style = "is-small", working: words, place, act, sure }) {
  const button = h("button", { class: `button ${style}`, type: "button", "aria-label": name, onclick: acted }, label);
  async function acted() {
    if (sure && !(await confirmed(sure.question, sure.action))) return;
    await attempt(button, place, act, { working: working(words) });
    // What it stood beside may be gone: the keyboard goes on where that was.
    if (!button.isConnected && document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector(".keep-body"))?.focus();
  }
  return button;
}

/**
 * A button that asks a question, and goes to where it is answered.
 * @param {import("../../main.js").Context} context @param {string} question @param {string} action the word on it
 * @param {import("../../lib/dom.js").Child} picture @param {HTMLElement} place
 */
export function askButton(context, question, action, picture, place) {
  const { api, project, signal } = context;
  const act = async () => context.go("ask", await startAsk(api, project, question, { signal }));
  return acting({ label: [picture, action], name: t("keep.of", { action, name: beginning(question) }), working: t("keep.asking"), place, act });
}

/**
 * A form in place.
 * @param {object} given
 * @param {string} given.title
 * @param {import("../../lib/dom.js").Child[]} given.fields
 * @param {string} given.action the word on its button
 * @param {() => Promise<unknown>} given.act
 * @param {() => void} given.onClose when it was done, or given up
 * @param {import("./form-draft.js").FormDraft} [given.draft] keeps what is typed
 */
export function editor({ title, fields, action, act, onClose, draft }) {
  const state = h("div");
  const submit = h("button", { class: "button is-main" }, action);
  const cancel = h("button", { class: "button", type: "button", onclick: cancelled }, t("cancel"));
  const form = h("form", { class: "keep-form stack", "aria-label": title, onsubmit: sent }, h("h3", null, title), fields, state, h("div", { class: "row" }, submit, cancel));

  draft?.attach(form);

  function cancelled() {
    draft?.forget();
    onClose();
  }

  /** @param {Event} event */
  async function sent(event) {
    event.preventDefault();
    if (submit.disabled) return;
    draft?.forget();
    submit.disabled = true;
    fill(state, working(t("keep.saving")));
    try {
      await act();
      onClose();
    } catch (error) {
      submit.disabled = false;
      draft?.keep(form);
      if (isAbort(error)) return;
      const undecided = error instanceof Undecided ? error.shown : null;
      fill(state, undecided ?? failure(error));
      if (undecided) state.querySelector("button")?.focus();
      else submit.focus();
    }
  }
  return form;
}

/** A field with its name, and a hint below it. @param {string} name @param {HTMLElement} input @param {string} [hint] */
export function field(name, input, hint = "") {
  input.id = newId("field");
  if (hint) input.setAttribute("aria-describedby", `${input.id}-hint`);
  return h("div", { class: "field" }, h("label", { for: input.id }, name), input, hint && h("small", { id: `${input.id}-hint` }, hint));
}

/** Go to the first field of a form that is shown. @param {HTMLElement} place */
export function enter(place) {
  /** @type {HTMLElement | null} */ (place.querySelector("input, textarea, select"))?.focus();
}

/**
 * A button that opens a form in a place, and has the focus again when that is closed.
 * @param {HTMLElement} place
 * @param {string} label
 * @param {(close: () => void) => HTMLElement} make
 * @param {{style?: string, draft?: import("./form-draft.js").FormDraft}} [more] with a `draft` that is there the form is open already
 */
export function opener(place, label, make, { style = "is-main", draft } = {}) {
  const button = h("button", { class: `button ${style}`, type: "button", onclick: open }, icon("plus"), label);
  if (draft?.isThere) shown();
  function shown() {
    if (!place.hasChildNodes()) fill(place, h("div", { class: "card" }, make(close)));
  }
  function open() {
    shown();
    enter(place);
  }
  function close() {
    const { activeElement: focused } = document;
    const isElsewhere = focused !== null && focused !== document.body && !place.contains(focused);
    fill(place);
    if (!isElsewhere) button.focus();
  }
  return button;
}

/** The head of a section: what it is for, and what can be done there. @param {string} name of the section, by which its texts are called @param {...import("../../lib/dom.js").Child} actions */
export function sectionHead(name, ...actions) {
  const words = h("div", { class: "keep-head-words" }, h("h2", { class: "for-readers" }, t(/** @type {any} */ (`keep.${name}`))), h("p", { class: "muted" }, t(/** @type {any} */ (`${name}.hint`))));
  return h("header", { class: "row is-apart keep-head" }, words, actions.length > 0 && h("div", { class: "row" }, actions));
}

// What whoever saves something has to decide first is shown in the form, which stays open.

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
