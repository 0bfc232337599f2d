// Saying whether an answer is right, with the right SQL where it is not; keeping and sending it.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { correction } from "./correction.js";
import { FormDraft } from "./keep/form-draft.js";
import { copy, toast, toastError } from "./notes.js";

/**
 * @param {import("./answer.js").Given} given
 * @returns {{element: HTMLElement, right: (sql: string) => Promise<void>}} `right` says which SQL would be right
 */
export function feedback({ context, card, result }) {
  const { api, session } = context;
  // What is right answers everybody's question from then on. That it is wrong may be said by whoever asked.
  const mayTeach = session.may("curate");
  const address = card.heard.address?.(card) ?? context.address("ask", card.id);
  const link = address !== null && h("button", { class: "button is-plain is-small", type: "button", onclick: () => copy(new URL(address, location.href).href) }, icon("link"), t("link"));
  const right = h("button", { class: "button is-small", type: "button", onclick: () => give(true).catch(toastError) }, icon("up"), t("right"));
  const wrong = h("button", { class: "button is-small", type: "button", onclick: correct }, icon("down"), t("wrong"));
  const words = mayTeach ? [h("span", { class: "small muted" }, t("right.ask")), right, wrong] : session.may("ask") && wrong;
  const place = h("div", { class: "row is-apart" }, h("div", { class: "row" }, words), link);
  show(result.feedback);

  /** @param {{positive: boolean} | undefined} said */
  function show(said) {
    right.setAttribute("aria-pressed", String(said?.positive === true));
    wrong.setAttribute("aria-pressed", String(said?.positive === false));
  }

  /** @param {boolean} positive @param {string} [sql] @param {string} [comment] */
  async function give(positive, sql, comment) {
    const taken = await api.send("POST", `/v1/asks/${card.id}/feedback`, { positive, sql: sql || undefined, comment: comment || undefined });
    /** @type {{severity: string, message: string}[]} */
    const findings = taken.findings ?? [];
    const doubt = findings.find((one) => one.severity !== "note");
    toast([t(taken.accepted_question_id ? "feedback.saved" : "feedback.taken"), doubt?.message].filter(Boolean).join(" "));
    show({ positive });
  }

  function correct() {
    const before = result.response?.[0]?.sql ?? "";
    const { storage } = context;
    const draft = storage ? new FormDraft({ ...context, storage }, "feedback", card.id) : null;
    correction({ draft, hint: t(mayTeach ? "wrong.hint" : "wrong.hint.ask"), takesSql: mayTeach, question: card.question, sql: before, send: (sql, comment) => give(false, sql, comment) });
  }
  return { element: place, right: (sql) => give(false, sql).catch(toastError) };
}
