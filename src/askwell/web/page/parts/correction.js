// Asking for the right SQL of a question, wherever an answer is said to be wrong.
import { h } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { dialog } from "./dialog.js";
import { attempt } from "./notes.js";

/**
 * @param {object} given
 * @param {string} given.hint what becomes of it
 * @param {string} given.sql what stands in the field at first
 * @param {string} [given.question] shown above the field, where it does not stand beside the dialog
 * @param {boolean} [given.takesSql] whether there is a field for SQL; else for a remark alone
 * @param {boolean} [given.needsSql] whether nothing can be done without SQL; else there is a field for a remark
 * @param {(sql: string, comment: string) => Promise<void>} given.send `sql` is "" where it was left as it is
 * @param {import("./keep/form-draft.js").FormDraft | null} [given.draft] keeps what is typed, until it is sent or given up by the button
 */
export function correction({ hint, sql: before, question = "", takesSql = true, needsSql = false, send, draft = null }) {
  const sql = h("textarea", { class: "input code", rows: 7, autofocus: needsSql, spellcheck: "false", required: needsSql }, before);
  const comment = h("textarea", { class: "input", rows: 2, maxlength: 10_000, autofocus: true });
  const problem = h("div");
  const button = h("button", { class: "button is-main", type: "button", onclick: sent }, t("feedback.send"));
  const shown = dialog(
    t(takesSql ? "wrong.title" : "wrong.comment"),
    [
      question && h("p", { class: "dialog-question", dir: "auto" }, question.slice(0, 1000)),
      h("p", { class: "muted" }, hint),
      !needsSql && h("label", { class: "field" }, h("span", null, t("wrong.comment")), comment),
      takesSql && h("label", { class: "field" }, h("span", null, t("wrong.sql")), sql),
      problem,
    ],
    [h("button", { class: "button", type: "button", onclick: cancelled }, t("cancel")), button],
  );

  draft?.attach(shown.element);

  function cancelled() {
    draft?.forget();
    shown.close();
  }

  function sent() {
    // What is white space alone is there, for the browser.
    if (needsSql && (!sql.reportValidity() || !sql.value.trim())) return;
    attempt(button, problem, async () => {
      const isChanged = needsSql || sql.value.trim() !== before.trim();
      await send(isChanged ? sql.value : "", comment.value);
      draft?.forget();
      shown.close();
    });
  }
}
