// A result as a chart: of the kind that fits it, or another, with other columns on its axes.
import { hasEnded } from "../lib/asking.js";
import { fill, h, icon } from "../lib/dom.js";
import { ServiceError } from "../lib/errors.js";
import { t } from "../lib/text.js";
import { Controls } from "./chart/controls.js";
import { draw, picture } from "./chart/drawing.js";
import { nameOf } from "./chart/fitting.js";
import { menu } from "./dialog.js";
import { fileName, keep } from "./downloads.js";
import { failure, note, progress, say, toast, toastError } from "./notes.js";

// The settings are behind a button where they would take several lines; what follows a change of width waits for its end.
const WIDE = 600;
const SETTLED = 100;

/**
 * @typedef {object} Given
 * @property {import("../lib/api.js").Api} api
 * @property {string} project
 * @property {string} query
 * @property {string} sql
 * @property {{columns: import("../lib/format.js").Column[], rows: unknown[][]}} data
 */
/** @typedef {{schema: Record<string, any>, kind: string, said: string, job: string}} Chart `job` is the path of the job that made it */

const NOTHING = { words: "", kind: "" };

/** @type {WeakMap<Element, ChartView>} */
const views = new WeakMap();

/** @param {Given} given @returns {HTMLElement} */
export function chartView(given) {
  return new ChartView(given).element;
}

/** A chart that was made already, as it is. @param {Record<string, any>} schema @returns {HTMLElement} */
export function drawnChart(schema) {
  return new ChartView(null, schema).element;
}

/** Have the chart within an element drawn as somebody says. @param {Element} root @param {string} words "as a pie chart" @param {string} kind "pie" */
export function drawAs(root, words, kind) {
  const element = root.querySelector(".chart-view");
  if (element) views.get(element)?.ask({ words, kind });
}

class ChartView {
  /** @param {Given | null} given what a chart is made of, where there is none yet @param {Record<string, any> | null} schema */
  constructor(given, schema = null) {
    this.given = given;
    /** @type {Chart | null} */
    this.chart = schema && { schema, kind: "", said: "", job: "" };
    /** The turns of what is asked for, and of what is drawn, last. */
    this.turns = { asked: 0, drawn: 0 };
    this.letGo = () => {};
    this.wanted = NOTHING;
    this.settings = h("details", { class: "chart-settings" }, h("summary", { class: "button is-small" }, t("chart.settings")));
    this.tools = h("div", { class: "chart-tools", hidden: true });
    this.problem = h("div", { role: "alert" });
    this.waiting = h("div", null, progress());
    this.place = h("div", { class: "chart-place" });
    this.said = h("p", { class: "small muted chart-said", dir: "auto", hidden: true });
    /** Over when the chart is in no document any more; null until it is in one. @type {AbortController | null} */
    this.shown = null;
    /** How wide its place was when it was drawn last; 0 where it has to be drawn. */
    this.width = 0;
    this.settling = 0;
    this.element = h("div", { class: "chart-view", "aria-busy": "true" }, this.tools, this.problem, this.waiting, this.place, this.said);
    if (given) {
      this.controls = new Controls(given.data, (option) => this.#adjust(given, option));
      this.settings.append(this.controls.element);
      const pictures = menu([icon("download"), t("chart.picture")], [
        { text: "SVG", act: () => this.#save(given, "svg") },
        { text: "PNG", act: () => this.#save(given, "png") },
      ]);
      fill(this.tools, this.settings, pictures);
    }
    views.set(this.element, this);
    new ResizeObserver(([{ contentRect }]) => this.#sized(contentRect.width)).observe(this.element);
  }

  /** Have the chart made that fits, or one of a kind that somebody asks for in so many words. @param {{words: string, kind: string}} wanted */
  ask(wanted) {
    this.wanted = wanted;
    // Where nobody has seen it yet it is asked for when somebody does.
    if (this.shown === null || this.given === null) return;
    const query = [this.given.query, wanted.words].filter(Boolean).join(", ");
    this.#ask(this.given, "/v1/charts", { query });
  }

  /** Told when it is first in sight, when its width changes, and when it is taken away. @param {number} width */
  #sized(width) {
    if (!this.element.isConnected) this.#leave();
    else if (width > 0) {
      this.#arrange(width >= WIDE);
      if (this.shown === null) this.#begin();
      else if (this.chart && Math.abs(this.place.clientWidth - this.width) > 8) {
        clearTimeout(this.settling);
        this.settling = setTimeout(() => this.#draw(), this.width === 0 ? 0 : SETTLED);
      }
    }
  }

  /** @param {boolean} isWide */
  #arrange(isWide) {
    if (isWide === this.element.classList.contains("is-wide")) return;
    this.element.classList.toggle("is-wide", isWide);
    this.settings.open = isWide;
  }

  #begin() {
    this.shown = new AbortController();
    const { signal } = this.shown;
    const redraw = () => this.#draw();
    this.element.getRootNode().addEventListener("askwell-theme", redraw, { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw, { signal });
    if (this.chart) this.#draw();
    else this.ask(this.wanted);
  }

  #leave() {
    this.shown?.abort();
    this.shown = null;
    this.turns.drawn += 1;
    this.letGo();
    this.letGo = () => {};
  }

  /** Draw it as somebody wants it. @param {Given} given @param {Record<string, string>} option */
  #adjust(given, option) {
    const bare = { ...this.chart?.schema, data: undefined };
    this.#ask(given, "/v1/chart-adjustments", { chart_schema: bare, adjustment_option: option });
  }

  /** Have a chart made, and draw it. @param {Given} given @param {string} path @param {Record<string, unknown>} more */
  async #ask(given, path, more) {
    const { api, project, query, sql, data } = given;
    const turn = (this.turns.asked += 1);
    const signal = this.shown?.signal;
    this.#busy(true);
    fill(this.problem);
    try {
      const rows = { columns: data.columns, data: data.rows };
      const body = { query, sql, project_id: project, data: rows, remove_data_from_chart_schema: false, ...more };
      const begun = await api.send("POST", path, body, { signal });
      const job = `${path}/${begun.query_id}`;
      let result = begun;
      while (!hasEnded(result.status)) result = await api.get(job, { wait: 20 }, signal);
      if (turn === this.turns.asked) await this.#made(result, job);
    } catch (error) {
      if (signal?.aborted || turn !== this.turns.asked) return;
      this.#refused(failure(error, () => this.#ask(given, path, more)));
    }
  }

  /** @param {Record<string, any>} result @param {string} job */
  async #made(result, job) {
    const { chart_schema: schema = {}, chart_type: kind = "", reasoning: said = "" } = result.response ?? {};
    if (Object.keys(schema).length > 0) {
      await this.#take({ schema, kind, said, job });
      this.#insist(kind);
      return;
    }
    const { message = said || t("chart.none"), hint = "" } = result.error ?? {};
    this.#refused(this.chart ? note("warn", inWords(message)) : note("info", message, hint));
  }

  /** Draw a chart; in the place of another one it is said which. @param {Chart} chart */
  async #take(chart) {
    const isOther = this.chart !== null;
    this.chart = chart;
    await this.#draw();
    if (isOther) say(this.place.getAttribute("aria-label") ?? "", this.element);
  }

  /** A kind that the rules would not choose is drawn where somebody asked for it. @param {string} kind that was made */
  #insist(kind) {
    const { kind: wanted } = this.wanted;
    this.wanted = NOTHING;
    if (this.given && !kind.includes(wanted)) this.#adjust(this.given, { chart_type: wanted });
  }

  /** There is no chart, or not the one that was wanted: then the one that was there stays. @param {HTMLElement} why */
  #refused(why) {
    this.#busy(false);
    if (this.chart === null) {
      fill(this.place, why);
      return;
    }
    this.controls?.back();
    fill(this.problem, why);
  }

  /** @param {boolean} isBusy */
  #busy(isBusy) {
    this.waiting.hidden = !isBusy;
    this.element.ariaBusy = isBusy ? "true" : null;
  }

  /** Draw what there is; the settings and what is said of it come with it. Hidden places have no width: later. */
  async #draw() {
    const { chart } = this;
    if (chart === null || !this.element.isConnected) return;
    const turn = (this.turns.drawn += 1);
    this.width = this.place.clientWidth;
    if (this.width === 0) return;
    const name = nameOf(chart.schema, chart.kind, this.given?.query ?? "");
    let letGo = () => {};
    try {
      letGo = await draw(this.place, chart.schema, () => turn === this.turns.drawn);
    } catch (error) {
      console.error(error);
      if (turn === this.turns.drawn && !(await this.#servedPicture(chart, name))) return;
    }
    if (turn !== this.turns.drawn) return;
    this.letGo();
    this.letGo = letGo;
    this.place.setAttribute("role", "img");
    this.place.setAttribute("aria-label", name);
    this.controls?.show(chart.kind, chart.schema);
    this.tools.hidden = this.given === null;
    this.said.textContent = chart.said;
    this.said.hidden = chart.said === "";
    this.#busy(false);
  }

  /** The service's own drawing, where the browser has nothing to draw with. @param {Chart} chart @param {string} name */
  async #servedPicture(chart, name) {
    try {
      if (this.given === null) throw new ServiceError(501, { message: t("chart.undrawn") });
      const blob = await this.#image(this.given, chart, "svg");
      fill(this.place, h("img", { class: "chart-picture", src: URL.createObjectURL(blob), alt: name }));
      return true;
    } catch (error) {
      this.#busy(false);
      this.place.removeAttribute("role");
      fill(this.place, failure(error));
      return false;
    }
  }

  /** @param {Given} given @param {Chart} chart @param {"svg" | "png"} format */
  async #image({ api }, chart, format) {
    const answer = await api.fetch("GET", `${chart.job}/image.${format}`);
    return answer.blob();
  }

  /** @param {Given} given @param {"svg" | "png"} format */
  async #save(given, format) {
    const { chart } = this;
    if (chart === null) return;
    try {
      const blob = await picture(this.place, chart.schema, format).catch(() => this.#image(given, chart, format));
      const file = fileName(given.query || "askwell", format);
      keep(blob, file);
      toast(t("download.saved", { file }));
    } catch (error) {
      const isMissing = error instanceof ServiceError && error.status === 404;
      toastError(isMissing ? new ServiceError(404, { message: t("gone") }) : error);
    }
  }
}

const CHANNELS = /** @type {const} */ ({ category: "chart.category", x_axis: "chart.category", value: "chart.value", y_axis: "chart.value", theta: "chart.value", color: "chart.split", x_offset: "chart.split" });

/** A refusal begins with the name of a channel, which is called otherwise here. @param {string} message */
function inWords(message) {
  return message.replace(/^(\w+): /, (whole, channel) => (channel in CHANNELS ? `${t(CHANNELS[/** @type {keyof typeof CHANNELS} */ (channel)])}: ` : whole));
}
