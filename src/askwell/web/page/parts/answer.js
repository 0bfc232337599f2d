// An answer as one object: what it comes to, its rows, how far it can be believed, and how it came about.
import { fill, h, icon } from "../lib/dom.js";
import { heading, isNumeric, oneValue } from "../lib/format.js";
import { focusedIn, isFocusLost } from "../lib/layer.js";
import { markdown } from "../lib/markdown.js";
import { t } from "../lib/text.js";
import { citations } from "./citations.js";
import { menu, tabs } from "./dialog.js";
import { downloads } from "./downloads.js";
import { evidence, sourceOf } from "./evidence.js";
import { feedback } from "./feedback.js";
import { failure, note, say } from "./notes.js";
import { isDrawnFirst, outcome, sentence } from "./outcome.js";
import { resultTable } from "./result-table.js";
import { checkButton } from "./sql-check.js";
import { sqlView } from "./sql.js";

// What was taken for granted is often several sentences; these many stand there at once.
const FEW = 4;

/**
 * @typedef {object} Given
 * @property {import("./ask-card.js").Asking} context
 * @property {import("./ask-card.js").AskCard} card
 * @property {Record<string, any>} result
 * @property {string} text what a language model, or the service, said in words
 * @property {(question: string, more?: Record<string, unknown>) => void} onAsk
 */

/** @param {Given} given */
export function answer(given) {
  const { result, text } = given;
  if (result.type === "GENERAL") return spoken(result, text, given.onAsk);
  const said = feedback(given);
  const foot = h("div", { class: "answer-foot" }, said.element);
  // What was said of the answer is not true of other rows.
  const onEdited = (/** @type {boolean} */ isEdited) => (foot.hidden = isEdited);
  const element = h("div", { class: "answer card is-bare", part: "answer" }, changeable(given, said, onEdited), foot);
  return h("div", { class: "stack" }, element, next(result.suggested_questions, given.onAsk));
}

/** @param {Record<string, any>} result @param {string} text @param {Given["onAsk"]} onAsk */
function spoken(result, text, onAsk) {
  const words = h("div", { class: "card answer-words md", part: "answer", dir: "auto" }, markdown(text || t("words.none")), citations(result));
  return h("div", { class: "stack" }, words, warnings(result), next(result.suggested_questions, onAsk));
}

/**
 * How far an answer can be believed: in a word, what was taken for granted, what speaks against it, and how it was read.
 * @param {Record<string, any>} result
 * @param {Given | null} [given] where what was taken for granted can be changed
 */
export function trust(result, given = null) {
  const understood = result.rephrased_question ?? result.reading;
  const reading = understood && h("p", { class: "reading small muted" }, t("reading"), " ", h("bdi", null, understood));
  return h("div", { class: "answer-trust stack" }, h("div", { class: "row" }, sureness(result), assumptions(result, given)), warnings(result), reading);
}

/**
 * How an answer came about, in a fold that is filled when it is opened first.
 * @param {import("./ask-card.js").Asking} context @param {Record<string, any>} result
 * @param {(sql: string, signal: AbortSignal) => Promise<void>} [onRun] runs SQL that was changed
 * @param {import("../lib/dom.js").Child} [beside] stands with the SQL
 */
export function how(context, result, onRun, beside) {
  if (context.hidesSql) return null;
  const body = h("div");
  const open = () => body.hasChildNodes() || fill(body, statement(result, onRun, beside), evidence(result, context));
  return h("details", { class: "how", ontoggle: open }, h("summary", null, t("how")), body);
}

/** @param {Record<string, any>} result @param {(sql: string, signal: AbortSignal) => Promise<void>} [onRun] @param {import("../lib/dom.js").Child} [beside] */
function statement(result, onRun, beside) {
  return sqlView({ sql: result.response?.[0]?.sql ?? result.sql ?? "", planned: result.planned_sql, onRun, isUnrun: !result.data, beside });
}

/** @param {Record<string, any>} result */
export function sourceBadge(result) {
  const source = sourceOf(result);
  // Saved questions and views are those that are checked.
  if (result.verdict === "checked" || source === null) return null;
  return h("span", { class: "badge is-accent", title: t(/** @type {any} */ (`${source}.hint`)) }, h("bdi", null, t(/** @type {any} */ (source))));
}

/** How far it can be believed, in a word. @param {{verdict?: "checked" | "clear" | "guess"}} result */
export function sureness({ verdict }) {
  if (!verdict) return null;
  return h("span", { class: `badge ${verdict === "guess" ? "is-warn" : "is-good"}`, title: t(`sure.${verdict}.hint`) }, verdict === "checked" && icon("check"), h("bdi", null, t(`sure.${verdict}`)));
}

/**
 * What was taken for granted; what else could be meant is chosen from it.
 * @param {Record<string, any>} result @param {Given | null} given
 */
function assumptions(result, given) {
  /** @type {Record<string, any>[]} */
  const others = given === null ? [] : (result.alternatives ?? []);
  /** @type {string[]} */
  const told = result.assumptions ?? [];
  /** @param {Record<string, any>} other */
  const label = (other) => {
    if (told.includes(other.assumption)) return other.assumption;
    return t(other.about === "period" ? "assumed.period" : "assumed.by", { what: other.assumed });
  };
  // What can be changed comes first, so that it is among those that are seen.
  const chips = others.map((other) => h("li", null, instead(/** @type {Given} */ (given), other, label(other))));
  for (const one of told) {
    if (others.some((other) => other.assumption === one)) continue;
    chips.push(h("li", { class: "chip" }, icon("info"), h("bdi", null, one)));
  }
  if (chips.length === 0) return null;
  const hidden = chips.slice(FEW);
  const more = hidden.length > 0 && h("li", null, h("details", { class: "assumptions-more" }, h("summary", { class: "chip" }, t("assumptions.more", { count: hidden.length })), h("ul", { class: "row" }, hidden)));
  return h("ul", { class: "row assumptions", "aria-label": t("assumptions") }, chips.slice(0, FEW), more);
}

/** A chip that asks the question again with another meaning, or about another period. @param {Given} given @param {Record<string, any>} alternative @param {string} label */
function instead({ card, onAsk }, alternative, label) {
  const items = alternative.options.map((/** @type {Record<string, any>} */ option) => ({
    text: option.label,
    act: () => onAsk(option.question ?? card.question, { meant: option.meant, histories: card.histories }),
  }));
  return menu([icon("info"), h("bdi", null, label)], items, { name: t("assumed.change", { what: /[.!?…]$/.test(label) ? label : `${label}.` }), isAtStart: true });
}

/** @param {Record<string, any>} result */
function warnings(result) {
  const all = [...(result.warnings ?? [])];
  return all.length ? h("div", { class: "stack" }, all.map((one) => note("warn", one))) : null;
}

/**
 * The rows: what they come to in a sentence, and as a chart or a table. Nothing where no statement was run.
 * @param {import("./ask-card.js").Asking} context @param {string} question @param {Record<string, any>} result
 */
export function figures({ api, project }, question, result) {
  const sql = result.response?.[0]?.sql ?? result.sql ?? "";
  const { data } = result;
  if (!data) return null;
  const single = oneFigure(data);
  if (single) return single;
  const words = h("p", { class: "answer-sentence" }, h("bdi", null, sentence(data)));
  const top = h("div", { class: "answer-top" }, words, downloads({ api, project, sql, name: question || "askwell" }));
  if (data.rows.length === 0) return top;
  const table = () => resultTable(data, ranking(sql, data));
  if (data.rows.length === 1 || data.columns.length === 1) return [top, table()];
  const panels = [
    { id: "chart", label: [icon("chart"), t("tab.chart")], make: () => chart({ api, project, query: question, sql, data }) },
    { id: "table", label: [icon("table"), t("tab.table")], make: table },
  ];
  const isDrawn = isDrawnFirst(data);
  const views = tabs(t("answer.views"), isDrawn ? panels : panels.reverse(), null, isDrawn);
  views.classList.add("answer-views");
  views.classList.toggle("is-drawn", isDrawn);
  return [top, views];
}

/** A chart, whose module is loaded when one is looked at. @param {import("./chart.js").Given} given */
function chart(given) {
  const place = h("div");
  import("./chart.js").then(({ chartView }) => fill(place, chartView(given))).catch((error) => fill(place, failure(error)));
  return place;
}

/**
 * Groups that come in no order are read from the largest on.
 * @param {string} sql @param {Record<string, any>} data @returns {import("./table/order.js").Sort}
 */
function ranking(sql, data) {
  const last = data.columns.length - 1;
  const isGroups = /\bgroup\s+by\b/i.test(sql) && !/\border\s+by\b/i.test(sql);
  if (!isGroups || data.truncated || last < 1 || !isNumeric(data.columns[last]) || !/CHAR|TEXT|STRING/i.test(data.columns[0].type)) return null;
  return { column: last, isDescending: true };
}

/** A result of one cell is a figure. @param {Record<string, any>} data */
function oneFigure(data) {
  const text = oneValue(/** @type {any} */ (data));
  if (text === null) return null;
  const [column] = data.columns;
  return h("div", { class: "figure" }, h("span", { class: "figure-value", dir: "auto" }, text), h("span", { class: "muted" }, heading(column), isNumeric(column) ? "" : ` (${column.type})`));
}

/**
 * An answer's rows and how they came about, or a statement that is no answer; SQL that a person runs takes its place, through the same guard.
 * @param {Pick<Given, "context" | "card" | "result"> & Partial<Given>} given @param {ReturnType<typeof feedback> | null} [said] null where there is no answer
 * @param {(isEdited: boolean) => void} [onEdited] told whether other rows than the answer's are shown
 */
export function changeable(given, said = null, onEdited = () => {}) {
  const { context, card, result } = given;
  const { api, project, session, signal } = context;
  const place = h("div");
  const check = said && checkButton(context, result.rephrased_question ?? card.question);
  const ran = said ? "edited" : "ran";
  show(result);

  /** @param {Record<string, any>} now @param {...import("../lib/dom.js").Child} above */
  function show(now, ...above) {
    const isEdited = now !== result;
    onEdited(isEdited);
    const { data } = now;
    const below = data ? how(context, now, rerun, check) : !context.hidesSql && statement(now, rerun, check);
    fill(place, above.length > 0 && h("div", { class: "stack answer-told" }, above), figures(context, card.question, now), said && !isEdited && trust(now, /** @type {Given} */ (given)), below);
  }

  /** @param {string} sql @param {AbortSignal} stopped */
  async function rerun(sql, stopped) {
    const found = await api.send("POST", "/v1/sql-runs", { sql, project_id: project }, { signal: AbortSignal.any([signal, stopped]) });
    const data = { columns: found.columns, rows: found.rows, row_count: found.row_count, truncated: found.truncated };
    const now = { ...found, sql: found.sql ?? sql, sql_source: "given", data };
    const back = h("button", { class: "button is-small", type: "button", onclick: goBack }, t(`${ran}.back`));
    const right = said && session.may("curate") && h("button", { class: "button is-small", type: "button", onclick: () => said.right(now.sql) }, t("edited.right"));
    const repairs = (found.repairs ?? []).map((/** @type {string} */ one) => note("info", one));
    const told = note("info", t(ran), t(`${ran}.hint`), back, right);
    told.tabIndex = -1;
    const isHere = place.contains(focusedIn(place));
    show(now, told, warnings(found), ...repairs);
    say(outcome({ status: "finished", data }, ""), place);
    if (isHere || isFocusLost(place)) told.focus();
  }

  function goBack() {
    show(result);
    /** @type {HTMLElement | null} */ (place.querySelector(".how > summary, .sql-change"))?.focus();
  }
  return place;
}

/** What could be asked next; null where nothing is. @param {string[] | undefined} all @param {(question: string) => void} onAsk */
export function next(all, onAsk) {
  if (!all?.length) return null;
  return h("div", { class: "row next-questions", role: "group", "aria-label": t("next") }, all.map((one) => h("button", { class: "chip", type: "button", dir: "auto", onclick: () => onAsk(one) }, one)));
}
