// Questions that did not work, by what kept them from it, with what can be done about each.
import { newId } from "../../lib/asking.js";
import { h } from "../../lib/dom.js";
import { every } from "../../lib/events.js";
import { ago } from "../../lib/format.js";
import { heldFocus } from "../../lib/layer.js";
import { t } from "../../lib/text.js";
import { correction } from "../correction.js";
import { beginning } from "../long-text.js";
import { loading, note, toast } from "../notes.js";
import { pastAsk } from "../past-ask.js";
import { askButton, changed, sectionHead } from "./changes.js";
import { everything } from "./collection.js";
import { FormDraft } from "./form-draft.js";

// As many of each sort are looked at, the latest; and so many stand in a group at first.
const MOST = 300;
const SHOWN = 5;
// How often it is looked again, in milliseconds; clocks are not exact.
const LOOKS = 30_000;
const LEAST = LOOKS - 500;
const AMBIGUOUS = 3005;
const OUT_OF_TIME = 3002;

/** @typedef {"wrong" | "ambiguous" | "data" | "sql" | "time" | "others" | "unknown" | "stopped"} Cause */
/** @typedef {{asks: Record<string, any>[], total: number}} Page */
/** `others` are how many of other people's are not in the lists. @typedef {{failed: Page, stopped: Page, wrong: Page, answered: Set<string>, others: {failed: number, stopped: number}}} Found */

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  /** Groups of which all is shown. @type {Set<Cause>} */
  const opened = new Set();
  /** @type {Found | null} */
  let last = null;
  let looked = Date.now();
  const list = loading(async () => (last ??= await load(context)), show);
  every(LOOKS, context.signal, lookAgain);
  document.addEventListener("visibilitychange", lookAgain, { signal: context.signal });

  /** What has failed meanwhile, where nobody is in the middle of something. */
  async function lookAgain() {
    if (last === null || document.hidden || Date.now() - looked < LEAST || isBusy()) return;
    looked = Date.now();
    const found = await load(context).catch(() => null);
    if (found === null || sameAs(found) === sameAs(last) || isBusy()) return;
    last = found;
    const back = heldFocus(list.element, () => document.querySelector(".keep-body"));
    await list.reload();
    back();
  }

  const isBusy = () => document.querySelector("dialog[open]") !== null || list.element.querySelector(".keep-place:not(:empty)") !== null;

  /** @param {Found} found */
  function show(found) {
    const counts = /** @type {[string, number][]} */ ([
      [t("state.failed"), found.failed.total],
      [t("said.wrong"), found.wrong.total],
      [t("state.stopped"), found.stopped.total],
    ]);
    const told = othersToo(found.others);
    if (counts.every(([, count]) => !count)) return [...told, h("p", { class: "empty" }, t(told.length ? "failures.own.empty" : "failures.empty"))];
    const numbers = h("dl", { class: "numbers is-few card" }, counts.map(([name, count]) => h("div", null, h("dt", null, name), h("dd", null, count.toLocaleString()))));
    const isCut = [found.failed, found.stopped, found.wrong].some(({ asks, total }) => asks.length < total);
    return [...told, numbers, isCut && h("p", { class: "small muted" }, t("failures.latest", { count: MOST })), ...byCause(found).map(([cause, asks]) => group(context, cause, asks, found.answered, opened))];
  }
  return h("div", { class: "stack" }, sectionHead("failures"), list.element);
}

/** @param {import("../../main.js").Context} context @returns {Promise<Found>} */
async function load(context) {
  const { api, project, signal } = context;
  const asks = (/** @type {Record<string, string>} */ query) => api.get("/v1/asks", { project_id: project, limit: MOST, ...query }, signal);
  const [failed, stopped, wrong, pairs, days] = await Promise.all([
    asks({ status: "failed" }),
    asks({ status: "stopped" }),
    asks({ status: "finished", feedback: "negative" }),
    everything(context, "/v1/sql-pairs", "sql_pairs").catch(() => []),
    api.get("/v1/usage", { project_id: project, days: 366 }, signal).then((found) => found.days, () => []),
  ]);
  const sum = (/** @type {"failed" | "stopped"} */ name) => days.reduce((/** @type {number} */ total, /** @type {any} */ day) => total + day[name], 0);
  const others = { failed: Math.max(sum("failed") - failed.total, 0), stopped: Math.max(sum("stopped") - stopped.total, 0) };
  return { failed, stopped, wrong, answered: new Set(pairs.map((pair) => sameWords(pair.question))), others };
}

/** The lists have what whoever looks may see; the figures are of everybody. @param {Found["others"]} others */
function othersToo(others) {
  return /** @type {const} */ (["failed", "stopped"]).filter((name) => others[name] > 0).map((name) => note("info", t(`failures.others.${name}`, { count: others[name] })));
}

/** @param {Found} found @returns {[Cause, Record<string, any>[]][]} the greatest first, those that were stopped last */
function byCause({ failed, stopped, wrong }) {
  const causes = [...Map.groupBy(failed.asks, causeOf)].sort(([, some], [, others]) => others.length - some.length);
  return /** @type {[Cause, Record<string, any>[]][]} */ ([["wrong", wrong.asks], ...causes, ["stopped", stopped.asks]]).filter(([, asks]) => asks.length > 0);
}

/** @param {Record<string, any>} one @returns {Cause} */
function causeOf({ error, nl2sql_code: code, clarification }) {
  if (!error) return "unknown";
  if (Number(code) === OUT_OF_TIME) return "time";
  if (Number(code) === AMBIGUOUS || clarification) return "ambiguous";
  return /** @type {Record<string, Cause>} */ ({ NO_RELEVANT_DATA: "data", NO_RELEVANT_SQL: "sql" })[error.code] ?? "others";
}

/** @param {import("../../main.js").Context} context @param {Cause} cause @param {Record<string, any>[]} all @param {Set<string>} answered @param {Set<Cause>} opened groups of which all is shown */
function group(context, cause, all, answered, opened) {
  const lines = merged(all).map((one) => line(context, one, answered));
  const items = h("ul", { class: "list card is-bare" }, lines.slice(0, opened.has(cause) ? undefined : SHOWN));
  const more = h("button", { class: "button is-small", type: "button", hidden: items.children.length === lines.length, onclick: rest }, t("failures.rest", { count: lines.length - SHOWN }));
  function rest() {
    opened.add(cause);
    items.append(...lines);
    more.hidden = true;
    items.children[SHOWN]?.querySelector("a, button")?.focus();
  }
  const title = h("h3", null, t(`cause.${cause}`), " ", h("span", { class: "badge" }, all.length.toLocaleString()));
  return h("section", { class: "stack cause" }, h("div", null, title, h("p", { class: "small muted" }, t(`cause.${cause}.hint`), remedies(context, cause))), items, h("div", { class: "row" }, more));
}

/** The same question once, the latest time that it was asked, with how often that was, and what else was remarked. @param {Record<string, any>[]} asks */
function merged(asks) {
  return [...Map.groupBy(asks, ({ query }) => sameWords(query)).values()].map(([latest, ...others]) => {
    const remarks = new Set(others.map(({ feedback }) => feedback?.comment).filter(Boolean));
    remarks.delete(latest.feedback?.comment);
    return { ...latest, times: 1 + others.length, remarks: [...remarks] };
  });
}

/** Where more is done about it than for one question. @param {import("../../main.js").Context} context @param {Cause} cause */
function remedies(context, cause) {
  const link = (/** @type {string} */ href, /** @type {string} */ text) => [" ", h("a", { href }, text)];
  const lessons = link(context.address("keep", "lessons"), t("lessons.add"));
  const model = link(context.address("model"), t("failures.model"));
  const health = link(context.address("keep", "health"), t("keep.health"));
  return { ambiguous: [...lessons, ...model], data: [...lessons, ...model], sql: model, time: health, others: health, wrong: [], unknown: [], stopped: [] }[cause];
}

/** @param {import("../../main.js").Context} context @param {Record<string, any>} one @param {Set<string>} answered questions that have a verified answer by now */
function line(context, one, answered) {
  const place = h("div", { class: "keep-place" });
  const name = t("keep.of", { action: t("failures.correct"), name: beginning(one.query) });
  const done = h("span", { class: "badge is-good" }, t("failures.corrected"));
  done.hidden = !answered.has(sameWords(one.query));
  const again = askButton(context, one.query, t("ask.again"), null, place);
  const correct = h("button", { class: "button is-small", type: "button", "aria-label": name, onclick: open }, t("failures.correct"));

  const isAnswered = one.status === "finished";
  // Of somebody else's answer nothing can be said; its question can be answered.
  const isOpen = isAnswered && one.is_own !== false;

  function open() {
    const sql = isAnswered ? (one.response?.[0]?.sql ?? "") : (one.invalid_sql ?? "");
    correction({ draft: new FormDraft(context, "correction", one.query_id), question: one.query, hint: t("wrong.hint.keep"), sql, needsSql: true, send });
  }

  /** @param {string} sql @param {string} comment */
  async function send(sql, comment) {
    const { api, project, signal } = context;
    if (isOpen) await api.send("POST", `/v1/asks/${one.query_id}/feedback`, { positive: false, sql, comment: comment || undefined }, { signal });
    else await changed(context, "POST", "/v1/sql-pairs", { body: { project_id: project, sql_pairs: [{ id: newId("correction"), question: one.query, sql }] } });
    answered.add(sameWords(one.query));
    done.hidden = false;
    toast(t("feedback.saved"));
  }
  return pastAsk(context, one, { when: ago(one.created_at), isSaid: true, more: [...one.remarks.map(remarked), repeated(one.times), done, h("div", { class: "row keep-actions" }, again, correct), place] });
}

/** What was said another time that the question was asked. @param {string} remark */
function remarked(remark) {
  return h("p", { class: "small muted", dir: "auto", style: { "flex-basis": "100%" } }, "“", beginning(remark, 300), "”");
}

/** @param {number} times */
function repeated(times) {
  if (times < 2) return null;
  return h("span", { class: "badge", title: t("failures.times", { times }) }, h("span", { "aria-hidden": "true" }, `×${times.toLocaleString()}`), h("span", { class: "for-readers" }, t("failures.times", { times })));
}

/** @param {string} question */
function sameWords(question) {
  return question.trim().toLowerCase().replace(/\s+/g, " ");
}

/** Everything that was found, to be compared. @param {Found} found */
function sameAs(found) {
  return JSON.stringify({ ...found, answered: [...found.answered].sort() });
}
