// What the project's questions came to, day by day: how many, how they ended, what they cost.
import { h } from "../../lib/dom.js";
import { ServiceError } from "../../lib/errors.js";
import { t } from "../../lib/text.js";
import { loading, note } from "../notes.js";
import { sectionHead } from "./changes.js";

/** @typedef {{date: string, asks: number, answered: number, failed: number, stopped: number, unfinished: number, llm_calls: number, prompt_tokens: number, completion_tokens: number, cost_usd: number}} Day */
/** @typedef {{days: Day[], causes: {code: string, count: number}[], sources: {source: string, count: number}[]}} Usage */

const SPANS = [7, 30, 90];
const ENDS = /** @type {const} */ (["answered", "failed", "stopped"]);
const PARTS = /** @type {const} */ ([...ENDS, "unfinished"]);
// Days before the first question are left out, but for so many that a picture has some width.
const LEAST_DAYS = 7;
const HEIGHT = 120;
const STEP = 10;

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const { api, project, signal } = context;
  let span = 30;
  const list = loading(load, (found) => (found ? figures(found, context) : note("info", t("usage.not.there"))));
  const choice = h("select", { class: "input", "aria-label": t("usage.span"), onchange: chosen }, SPANS.map((days) => h("option", { value: days, selected: days === span }, t("usage.days", { count: days }))));

  function chosen() {
    span = Number(choice.value);
    list.reload();
  }

  /** Null where this service does not count. */
  async function load() {
    try {
      return /** @type {Usage} */ (await api.get("/v1/usage", { project_id: project, days: span }, signal));
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return null;
      throw error;
    }
  }
  return h("div", { class: "stack" }, sectionHead("usage", choice), list.element);
}

/** @param {Day[]} days */
function sinceFirst(days) {
  const first = days.findIndex((day) => day.asks > 0);
  return days.slice(Math.max(0, Math.min(first, days.length - LEAST_DAYS)));
}

/** @param {Usage} found @param {import("../../main.js").Context} context */
function figures({ days: all, causes, sources }, context) {
  const days = sinceFirst(all);
  const sum = (/** @type {Exclude<keyof Day, "date">} */ name) => days.reduce((total, day) => total + day[name], 0);
  const asks = sum("asks");
  if (!asks) return h("p", { class: "empty" }, t("usage.empty"));
  const ended = ENDS.reduce((total, name) => total + sum(name), 0);
  const share = ended ? Math.round((100 * sum("answered")) / ended) : 0;
  const tokens = t("usage.tokens.both", { read: sum("prompt_tokens"), written: sum("completion_tokens") });
  const open = sum("unfinished");
  const facts = /** @type {[string, string, string?, string?][]} */ ([
    [t("usage.asks"), number(asks)],
    [t("usage.answered"), number(sum("answered")), ended ? t("usage.share", { percent: share }) : ""],
    [t("usage.failed"), number(sum("failed")), "", sum("failed") > 0 ? "is-bad" : ""],
    [t("usage.stopped"), number(sum("stopped"))],
    [t("usage.unfinished"), number(open), open > 0 ? t("usage.unfinished.hint") : ""],
    [t("usage.calls"), number(sum("llm_calls"))],
    [t("usage.tokens"), number(sum("prompt_tokens") + sum("completion_tokens")), tokens],
    [t("usage.cost"), dollars(sum("cost_usd"))],
  ]);
  const told = h("dl", { class: "numbers card" }, facts.map(([name, value, more, style]) => h("div", null, h("dt", null, name), h("dd", { class: style || null }, value, more && h("small", { class: "muted" }, more)))));
  return [
    told,
    h("section", { class: "card stack" }, h("h3", null, t("usage.by.day")), bars(days), h("details", null, h("summary", null, t("usage.table")), table(days))),
    h("div", { class: "halves" }, shares(t("usage.by.source"), sources.map((one) => [sourceName(one.source), one.count]), t("usage.no.answers")), shares(t("usage.by.cause"), causes.map((one) => [causeName(one.code), one.count]), t("usage.no.failures"), causes.length > 0 && h("a", { href: context.address("keep", "failures") }, t("usage.look")))),
  ];
}

/** A bar for each day: how its questions ended, on top of each other. What the pointer is on is told below. @param {Day[]} days */
function bars(days) {
  const most = Math.max(...days.map((day) => day.asks), 1);
  const height = (/** @type {number} */ count) => (HEIGHT * count) / most;
  const columns = days.map((day, at) => {
    let top = HEIGHT;
    const pieces = PARTS.map((name) => {
      const high = height(day[name]);
      top -= high;
      return h("rect", { class: `bar-${name}`, x: at * STEP + 1.5, y: top, width: STEP - 3, height: high });
    });
    return h("g", { class: "bar" }, h("rect", { class: "bar-ground", x: at * STEP, y: 0, width: STEP, height: HEIGHT }), pieces);
  });
  const picture = h("svg", { class: "bars", viewBox: `0 0 ${days.length * STEP} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": t("usage.picture", { most }) }, columns);
  const said = h("p", { class: "small muted bars-said" });
  const legend = h("ul", { class: "row small", "aria-hidden": "true" }, PARTS.filter((name) => days.some((day) => day[name] > 0)).map((name) => h("li", { class: `legend legend-${name}` }, t(`usage.${name}`))));
  picture.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => tell(columns.indexOf(/** @type {Element} */ (event.target).closest(".bar"))));
  picture.addEventListener("pointerleave", () => tell(-1));
  tell(-1);

  /** @param {number} at */
  function tell(at) {
    const day = days[at];
    said.textContent = day ? t("usage.day", { day: dayName(day.date), asks: day.asks, answered: day.answered, failed: day.failed, stopped: day.stopped, open: day.unfinished }) : t("usage.most", { count: most });
  }
  const ends = h("div", { class: "row is-apart small muted", "aria-hidden": "true" }, h("span", null, dayName(days[0].date)), h("span", null, dayName(/** @type {Day} */ (days.at(-1)).date)));
  return h("div", { class: "stack bars-box" }, h("div", { class: "row is-apart" }, said, legend), picture, ends);
}

/** The same to read: those days that have something. @param {Day[]} days */
function table(days) {
  const heads = [t("usage.date"), t("usage.asks"), t("usage.answered"), t("usage.failed"), t("usage.stopped"), t("usage.unfinished"), t("usage.calls"), t("usage.tokens"), t("usage.cost")];
  const cells = (/** @type {Day} */ day) => [day.asks, day.answered, day.failed, day.stopped, day.unfinished, day.llm_calls, day.prompt_tokens + day.completion_tokens].map(number).concat(dollars(day.cost_usd));
  const rows = days.filter((day) => day.asks > 0).reverse();
  const head = h("thead", null, h("tr", null, heads.map((name, at) => h("th", { scope: "col", class: at ? "is-number" : null }, name))));
  const body = h("tbody", null, rows.map((day) => h("tr", null, h("th", { scope: "row" }, day.date), cells(day).map((cell) => h("td", { class: "is-number" }, cell)))));
  return h("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": t("usage.table") }, h("table", { class: "plain-table" }, head, body));
}

/** @param {string} title @param {[string, number][]} parts @param {string} none @param {import("../../lib/dom.js").Child} [more] */
function shares(title, parts, none, more = null) {
  const all = parts.reduce((total, [, count]) => total + count, 0);
  const items = parts.map(([name, count]) => h("li", { class: "share" }, h("span", null, name), h("span", { class: "time-bar", style: { "--part": `${(100 * count) / all}%` } }), h("span", { class: "muted" }, number(count))));
  return h("section", { class: "card stack" }, h("h3", null, title), all ? h("ul", { class: "plain" }, items) : h("p", { class: "muted" }, none), more);
}

/** @param {string} source */
function sourceName(source) {
  return ["rules", "llm", "history", "view"].includes(source) ? t(/** @type {any} */ (`source.${source}`)) : source;
}

/** @param {string} code */
function causeName(code) {
  const known = /** @type {Record<string, string>} */ ({ NO_RELEVANT_DATA: t("cause.data"), NO_RELEVANT_SQL: t("cause.sql"), OTHERS: t("cause.others") });
  return Object.hasOwn(known, code) ? known[code] : code;
}

/** A day as the service counts them: in UTC. @param {string} date */
function dayName(date) {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
}

/** @param {number} value */
function number(value) {
  return value.toLocaleString();
}

/** @param {number} value */
function dollars(value) {
  return value.toLocaleString(undefined, { style: "currency", currency: "USD", maximumFractionDigits: value > 0 && value < 1 ? 4 : 2 });
}
