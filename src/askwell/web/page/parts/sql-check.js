// Whether SQL from elsewhere answers a question: a place to paste it, and what speaks against it.
import { fill, h, isSent } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { dialog } from "./dialog.js";
import { attempt, note, progress, say } from "./notes.js";
import { sqlView } from "./sql.js";

/** @typedef {{severity: "wrong" | "doubt" | "note", message: string}} Finding */

const KINDS = /** @type {const} */ ({ sound: "good", doubtful: "warn", wrong: "bad" });

/** Findings as a list, in the order of the service: the worst first, notes last. Null where there are none. @param {Finding[] | undefined} all */
export function reasons(all) {
  if (!all?.length) return null;
  return h("ul", { class: "plain" }, all.map(({ severity, message }) => h("li", { class: severity === "note" && "muted", dir: "auto" }, message)));
}

/**
 * A button that opens a place to paste SQL. What was pasted is there again when it is opened again.
 * @param {import("./ask-card.js").Asking} context @param {string} question
 */
export function checkButton({ api, project, signal }, question) {
  const field = h("textarea", { class: "input code", rows: 7, autofocus: true, required: true, spellcheck: "false", onkeydown: pressed });
  const found = h("div", { class: "stack" });
  const button = h("button", { class: "button is-main", type: "button", onclick: check }, t("check.send"));

  function open() {
    const asked = h("p", { class: "dialog-question", dir: "auto" }, question.slice(0, 1000));
    dialog(t("check.title"), [asked, h("p", { class: "muted" }, t("check.hint")), h("label", { class: "field" }, h("span", null, t("tab.sql")), field), h("div", { class: "row" }, button), found], []);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (!isSent(event)) return;
    event.preventDefault();
    check();
  }

  function check() {
    // What is white space alone is there, for the browser.
    if (!field.reportValidity() || !field.value.trim()) return;
    attempt(button, found, async () => {
      const { verdict, findings, rewritten } = await api.send("POST", "/v1/sql-checks", { project_id: project, question, sql: field.value }, { signal });
      const words = t(/** @type {"check.sound"} */ (`check.${verdict}`));
      const said = note(KINDS[/** @type {keyof typeof KINDS} */ (verdict)], words);
      // Readers hear it together with the reasons.
      said.removeAttribute("role");
      fill(found, said, reasons(findings), rewritten && h("section", null, h("h3", null, t("check.rewritten")), sqlView({ sql: rewritten })));
      say([words, ...findings.map((/** @type {Finding} */ one) => one.message)].join(" "), found);
    }, { working: progress(t("check.sending")), signal });
  }
  return h("button", { class: "button is-plain is-small", type: "button", onclick: open }, t("check.open"));
}
