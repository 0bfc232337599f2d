// One call of a tool in a conversation: a line that says what is done, folded over what came of it.
import { fill, h, icon } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { figures, how, trust } from "../answer.js";
import { drawnChart } from "../chart.js";
import { citations } from "../citations.js";
import { longText } from "../long-text.js";
import { note } from "../notes.js";
import { STAGES } from "../stages.js";

const TOOLS = /** @type {const} */ (["ask_data", "find_tables", "describe_table", "find_values", "run_sql", "check_sql", "search_passages", "make_chart", "remember"]);
// More of what a tool gave is shown on demand.
const LONGEST = 4_000;

/** @param {string} text JSON, as a tool wrote it @returns {any} the text itself where it is none */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export class Step {
  /** @param {import("../../main.js").Context} context @param {string} tool */
  constructor(context, tool) {
    this.context = context;
    this.tool = tool;
    this.said = "";
    this.stage = "";
    /** What it gave the model. @type {any} */
    this.content = undefined;
    /** What people see of it, by kind. @type {{sql?: Record<string, any>, data?: Record<string, any>}} */
    this.shown = {};
    this.line = h("summary", { class: "step-line" });
    this.body = h("div", { class: "step-body" });
    this.details = h("details", { class: "step", ontoggle: () => this.#open() }, this.line, this.body);
    this.chart = h("div", { class: "card step-chart", hidden: true });
    this.element = h("div", null, this.details, this.chart);
    this.#head();
  }

  /** What it is called with, as JSON text that comes in pieces. @param {string} text */
  say(text) {
    this.said += text;
    this.#head();
  }

  /** How far it is. @param {string} stage */
  reach(stage) {
    this.stage = stage;
    this.#head();
  }

  /** @param {string} text what it gave */
  give(text) {
    this.content = read(text);
    this.#changed();
  }

  /** @param {"sql" | "data"} kind @param {Record<string, any>} value */
  show(kind, value) {
    this.shown[kind] = value;
    this.#changed();
  }

  /** @param {Record<string, any>} schema */
  draw(schema) {
    this.chart.hidden = false;
    fill(this.chart, drawnChart(schema));
  }

  /** What it asked, or worked on, in words. */
  get subject() {
    const said = read(this.said || "{}");
    const words = said.question ?? said.query ?? said.text ?? said.table ?? said.name ?? "";
    return typeof words === "string" ? words : "";
  }

  get #error() {
    return this.content?.error ?? null;
  }

  get #isOver() {
    return this.content !== undefined;
  }

  #changed() {
    this.#head();
    if (this.details.open) this.#fill();
    else fill(this.body);
  }

  #head() {
    const known = TOOLS.find((one) => one === this.tool);
    const name = known ? t(`tool.${known}`) : this.tool;
    const picture = this.#error ? icon("warning") : this.#isOver ? icon("check") : h("span", { class: "step-dot" });
    const stage = !this.#isOver && STAGES.find((one) => one === this.stage);
    const subject = h("span", { class: "step-subject", dir: "auto" }, this.subject.slice(0, 300));
    const { data } = this.shown;
    const end = stage ? t(`stage.${stage}`) : this.#error ? t("step.failed") : data ? t(data.truncated ? "rows.more" : "rows", { count: data.rows.length }) : "";
    this.details.classList.toggle("is-bad", this.#error !== null);
    fill(this.line, picture, h("span", { class: "step-name" }, name), subject, h("span", { class: "small muted" }, end));
  }

  #open() {
    if (this.details.open && !this.body.hasChildNodes()) this.#fill();
  }

  #fill() {
    const { sql, data } = this.shown;
    const error = this.#error;
    if (error) fill(this.body, note("bad", String(error.message ?? t("failed")), String(error.hint ?? "")), sql && this.#figures(sql, undefined));
    else if (sql) fill(this.body, this.#figures(sql, data));
    else if (Array.isArray(this.content?.passages)) fill(this.body, this.#passages(this.content.passages));
    else fill(this.body, this.#given());
  }

  /** @param {Record<string, any>} sql @param {Record<string, any> | undefined} data */
  #figures(sql, data) {
    const result = { ...sql, data };
    const link = sql.ask_id && this.context.address("ask", sql.ask_id);
    const open = link && h("a", { class: "button is-small", href: link }, icon("ask"), t("step.open"));
    return h("div", { class: "answer card is-bare" }, figures(this.context, this.subject, result), trust(result), how(this.context, result), open && h("div", { class: "answer-foot" }, open));
  }

  /** @param {Record<string, any>[]} passages */
  #passages(passages) {
    const all = passages.map((one, at) => ({ n: Number(String(one.mark ?? "").replace(/\D/g, "")) || at + 1, title: one.title, locator: one.locator, quote: one.text }));
    return citations({ citations: all }) ?? h("p", { class: "muted small" }, t("step.nothing"));
  }

  /** What a tool gave, as it is. */
  #given() {
    const { content } = this;
    if (content === undefined) return h("p", { class: "muted small" }, t("step.waits"));
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
    return h("pre", { class: "md-code", tabindex: "0", dir: "ltr" }, longText(text, { tag: "code", most: LONGEST }));
  }
}
