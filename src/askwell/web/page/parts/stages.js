// What an ask does now, while it does it: stages, the model's words as they come, the time, and a way to stop.
import { fill, h, icon } from "../lib/dom.js";
import { duration } from "../lib/format.js";
import { t } from "../lib/text.js";
import { say } from "./notes.js";

export const STAGES = /** @type {const} */ (["understanding", "searching", "planning", "generating", "correcting"]);

export class Stages {
  constructor() {
    this.list = h("ol", { class: "stages" });
    this.said = h("p", { class: "stage-words", dir: "auto" });
    this.time = h("span", { class: "small muted", "aria-hidden": "true" });
    this.element = h("div", { class: "stages-box", hidden: true });
    this.status = "";
    this.seen = new Set();
  }

  /** Show that it begins. @param {() => void} onStop */
  begin(onStop) {
    const stop = h("button", { class: "button is-small", type: "button", onclick: onStop }, icon("stop"), t("stop"));
    fill(this.element, h("div", { class: "row is-apart" }, this.list, h("div", { class: "row" }, this.time, stop)), this.said);
    this.element.hidden = false;
    const began = performance.now();
    this.clock = setInterval(() => (this.time.textContent = duration(performance.now() - began)), 100);
    this.show({ status: "understanding" });
  }

  /** @param {Record<string, any>} result */
  show(result) {
    const at = STAGES.indexOf(result.status);
    if (at < 0) {
      this.element.hidden = result.status === "awaiting_correction" || this.element.hidden;
      return;
    }
    this.element.hidden = false;
    this.seen.add(result.status);
    const shown = STAGES.filter((stage) => stage !== "correcting" || this.seen.has(stage));
    const items = shown.map((stage) => {
      const place = STAGES.indexOf(stage);
      const state = place < at ? "done" : place === at ? "now" : "later";
      return h("li", { class: `stage is-${state}`, "aria-current": state === "now" ? "step" : null }, state === "done" && icon("check"), t(`stage.${stage}`));
    });
    fill(this.list, items);
    if (this.status !== result.status) say(t(`stage.${STAGES[at]}`), this.element);
    this.status = result.status;
  }

  /** @param {string} text all that the model has written so far */
  words(text) {
    this.said.textContent = text;
  }

  end() {
    clearInterval(this.clock);
    this.element.hidden = true;
  }
}
