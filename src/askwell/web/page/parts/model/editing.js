// Describing a table and its columns better: fields in the place of the texts, saved together.
import { fill, h } from "../../lib/dom.js";
import { ServiceError } from "../../lib/errors.js";
import { keepsClear } from "../../lib/sight.js";
import { t } from "../../lib/text.js";
import { AT_REST, failure, note, say } from "../notes.js";
import { FIELDS, textOf } from "./draft.js";

/** @typedef {import("./draft.js").Draft} Draft */

const LONGEST = { display_name: 128, description: 10_000, synonyms: 13_000, unit: 128 };

/**
 * The fields of a table, or of one of its columns.
 * @param {Draft} draft @param {import("./data.js").Table | import("./data.js").Column} one @param {string | null} column
 * @param {() => void} onChange
 */
export function fields(draft, one, column, onChange) {
  return h("div", { class: "describing" }, FIELDS.filter((field) => field !== "unit" || column !== null).map((field) => editor(draft, one, column, field, onChange)));
}

/**
 * @param {Draft} draft @param {import("./data.js").Table | import("./data.js").Column} one @param {string | null} column
 * @param {import("./draft.js").Field} field @param {() => void} onChange
 */
function editor(draft, one, column, field, onChange) {
  const now = textOf(one, field);
  const typed = draft.of(column, field);
  const name = t(`model.field.${field}`);
  const shared = { class: "input", maxlength: LONGEST[field], dir: "auto", "aria-label": column === null ? name : `${column}: ${name}` };
  const text = typed?.text ?? now;
  const input = field === "display_name" || field === "unit" ? h("input", { ...shared, value: text }) : h("textarea", { ...shared, rows: rows(field, now) }, text);
  input.addEventListener("input", () => {
    draft.put(column, field, input.value);
    onChange();
  });
  const elsewhere = typed && typed.before !== now.trim() ? note("warn", t("model.elsewhere", { text: now.slice(0, 300) || "–" })) : null;
  const hint = field === "synonyms" && column === null ? h("small", null, t("model.field.synonyms.hint")) : null;
  return h("label", { class: `field is-${field}` }, h("span", null, name), input, hint, elsewhere);
}

/** @param {import("./draft.js").Field} field @param {string} text */
function rows(field, text) {
  const count = field === "synonyms" ? text.split("\n").length : Math.ceil(text.length / 60);
  return Math.min(6, Math.max(field === "synonyms" ? 1 : 2, count));
}

/**
 * What stands below the fields: how much was changed, and saving it.
 * @param {import("../../main.js").Context} context @param {Draft} draft
 * @param {{hash: string, isBusy: () => boolean, onSaved: (label: string) => void, onLeave: () => void, onReload: () => void}} told
 */
export function saveBar(context, draft, { hash, isBusy, onSaved, onLeave, onReload }) {
  const count = h("span", { class: "small muted" });
  const problem = h("div");
  const save = h("button", { class: "button is-main", type: "button", onclick: send }, t("save"));
  const leave = h("button", { class: "button", type: "button", onclick: () => {
    draft.clear();
    onLeave();
  } });
  const element = h("div", { class: "save-bar card stack" }, problem, h("div", { class: "row is-apart" }, count, h("div", { class: "row" }, leave, save)));

  function update() {
    const changed = draft.changes().length;
    tell(isBusy() ? t("model.busy") : t("model.changes", { count: changed }));
    fill(leave, t(changed ? "model.discard" : "model.done"));
    save.disabled = changed === 0 || isBusy();
  }

  /** Keys change it seldom: it is said when they do, but for what it says at first. @param {string} text */
  function tell(text) {
    if (text === count.textContent) return;
    if (count.textContent) say(text, element, AT_REST);
    fill(count, text);
  }

  async function send() {
    save.disabled = true;
    fill(problem);
    try {
      const body = { mdl_hash: hash, changes: draft.changes() };
      const begun = await context.api.send("PATCH", "/v1/semantics", body, { query: { project_id: context.project }, signal: context.signal });
      onSaved(begun.id);
    } catch (error) {
      if (context.signal.aborted) return;
      fill(problem, refused(error, onReload));
      update();
    }
  }
  update();
  keepsClear(element, context.signal);
  return { element, update };
}

/** What was typed stays, whatever the service says. @param {unknown} error @param {() => void} onReload */
function refused(error, onReload) {
  if (!(error instanceof ServiceError) || error.status !== 409) return failure(error);
  const reload = h("button", { class: "button is-small", type: "button", onclick: onReload }, t("model.reload"));
  return note("warn", t("model.conflict"), t("model.conflict.hint"), reload);
}
