// An answer as one object: what was understood, the figures, how sure, and everything by which it can be checked.
import { fill, h, icon } from "../lib/dom.js";
import { dollars, duration, isNumeric, oneValue } from "../lib/format.js";
import { focusedIn, isFocusLost } from "../lib/layer.js";
import { markdown } from "../lib/markdown.js";
import { t } from "../lib/text.js";
import { citations } from "./citations.js";
import { menu, tabs } from "./dialog.js";
import { downloads } from "./downloads.js";
import { evidence } from "./evidence.js";
import { feedback } from "./feedback.js";
import { failure, note, say } from "./notes.js";
import { outcome } from "./outcome.js";
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
  const top = head(result, given);
  const foot = h("div", { class: "answer-foot" }, said.element);
  // What was said of the answer is not true of other rows.
  const onEdited = (/** @type {boolean} */ isEdited) => [top, foot].forEach((one) => (one.hidden = isEdited));
  const element = h("div", { class: "answer card is-bare", part: "answer" }, top, changeable(given, said, onEdited), foot);
  return h("div", { class: "stack" }, element, next(result.suggested_questions, given.onAsk));
}

/** @param {Record<string, any>} result @param {string} text @param {Given["onAsk"]} onAsk */
function spoken(result, text, onAsk) {
  const words = h("div", { class: "card answer-words md", part: "answer", dir: "auto" }, markdown(text || t("words.none")), citations(result));
  return h("div", { class: "stack" }, words, warnings(result), next(result.suggested_questions, onAsk));
}

/**
 * What was understood, and how far it can be believed.
 * @param {Record<string, any>} result
 * @param {Given | null} [given] where what was taken for granted can be changed
 */
export function head(result, given = null) {
  const understood = result.rephrased_question ?? result.reading;
  const reading = understood && h("p", { class: "reading" }, h("span", { class: "muted" }, t("reading"), " "), h("bdi", null, understood));
  const total = (result.timings ?? []).reduce((/** @type {number} */ sum, /** @type {{ms: number}} */ one) => sum + one.ms, 0);
  const facts = [
    sureness(result),
    sourceBadge(result),
    total > 0 && h("span", { class: "badge" }, h("bdi", null, duration(total))),
    result.usage?.cost_usd > 0 && h("span", { class: "badge" }, h("bdi", null, t("cost", { usd: dollars(result.usage.cost_usd) }))),
  ];
  return h("header", { class: "answer-head stack" }, reading, h("div", { class: "row" }, facts), assumptions(result, given), warnings(result));
}

/** @param {Record<string, any>} result */
export function sourceBadge(result) {
  const source = result.sql_source ?? "llm";
  // Saved questions and views are those that are checked.
  if (result.verdict === "checked" || !["history", "view", "rules", "llm"].includes(source)) return null;
  return h("span", { class: "badge is-accent", title: t(/** @type {any} */ (`source.${source}.hint`)) }, h("bdi", null, t(/** @type {any} */ (`source.${source}`))));
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
  const list = h("ul", { class: "row assumptions", "aria-label": t("assumptions") }, chips.slice(0, FEW));
  const hidden = chips.slice(FEW);
  if (hidden.length > 0) {
    const more = h("button", { class: "chip", type: "button", onclick: showAll }, t("assumptions.more", { count: hidden.length }));
    list.append(h("li", null, more));
  }
  return list;

  /** @param {Event} event */
  function showAll(event) {
    /** @type {Element} */ (event.currentTarget).parentElement?.remove();
    const [first] = hidden;
    list.append(...hidden);
    first.tabIndex = -1;
    first.focus();
  }
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
 * The rows, drawn, in SQL, and how they came about.
 * @param {import("./ask-card.js").Asking} context @param {string} question @param {Record<string, any>} result
 * @param {(sql: string, signal: AbortSignal) => Promise<void>} [onRun] runs SQL that was changed
 * @param {import("../lib/dom.js").Child} [beside] stands with the SQL
 * @returns {HTMLElement | HTMLElement[]}
 */
export function figures(context, question, result, onRun, beside) {
  const { api, project, hidesSql } = context;
  const sql = result.response?.[0]?.sql ?? result.sql ?? "";
  const { data } = result;
  const asSql = () => sqlView({ sql, planned: result.planned_sql, onRun, isUnrun: !data, beside });
  if (!data) return hidesSql ? [] : asSql();
  const single = oneFigure(data);
  const name = question || "askwell";
  const panels = [
    {
      id: "table",
      label: [icon("table"), t("tab.table"), h("bdi", { class: "muted small" }, t(data.truncated ? "rows.more" : "rows", { count: data.rows.length }))],
      make: () => (data.rows.length ? resultTable(data, ranking(sql, data)) : h("p", { class: "empty" }, t("rows.none"))),
    },
    { id: "chart", label: [icon("chart"), t("tab.chart")], make: () => chart({ api, project, query: question, sql, data }) },
    { id: "sql", label: [icon("code"), t("tab.sql")], make: asSql },
    { id: "evidence", label: [icon("info"), t("tab.evidence")], make: () => evidence(result, context) },
  ].filter(({ id }) => ({ table: !single, chart: data.rows.length > 1 && data.columns.length > 1 })[id] ?? !hidesSql);
  if (single && panels.length === 0) return single;
  const shown = tabs(t("answer.views"), panels, downloads({ api, project, sql, name }));
  return single ? [single, shown] : shown;
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
  return h("div", { class: "figure" }, h("span", { class: "figure-value", dir: "auto" }, text), h("span", { class: "muted" }, column.name.replaceAll("_", " "), isNumeric(column) ? "" : ` (${column.type})`));
}

/**
 * The figures of an answer, or a statement that is none, in the place of which SQL that a person runs is shown; through the same guard.
 * @param {Pick<Given, "context" | "card" | "result">} given @param {ReturnType<typeof feedback> | null} [said] null where there is no answer
 * @param {(isEdited: boolean) => void} [onEdited] told whether other rows than the answer's are shown
 */
export function changeable({ context, card, result }, said = null, onEdited = () => {}) {
  const { api, project, session, signal } = context;
  const place = h("div", { class: "stack" });
  const check = said && checkButton(context, result.rephrased_question ?? card.question);
  const ran = said ? "edited" : "ran";
  show(result);

  /** @param {Record<string, any>} now @param {...import("../lib/dom.js").Child} above */
  function show(now, ...above) {
    onEdited(now !== result);
    fill(place, above, figures(context, card.question, now, rerun, check));
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
    /** @type {HTMLElement | null} */ (place.querySelector('[role="tab"][aria-selected="true"], .sql-change'))?.focus();
  }
  return place;
}

/** What could be asked next; null where nothing is. @param {string[] | undefined} all @param {(question: string) => void} onAsk */
export function next(all, onAsk) {
  if (!all?.length) return null;
  return h("div", { class: "row next-questions", role: "group", "aria-label": t("next") }, all.map((one) => h("button", { class: "chip", type: "button", dir: "auto", onclick: () => onAsk(one) }, one)));
}
