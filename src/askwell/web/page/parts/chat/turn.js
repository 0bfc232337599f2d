// One message of a person in a conversation, and what the agent makes of it: what it looks up, and what it says.
import { fill, h, icon } from "../../lib/dom.js";
import { focusedIn, isFocusLost } from "../../lib/layer.js";
import { markdown } from "../../lib/markdown.js";
import { t } from "../../lib/text.js";
import { next } from "../answer.js";
import { citations } from "../citations.js";
import { clarification } from "../clarification.js";
import { FormDraft } from "../keep/form-draft.js";
import { beginning } from "../long-text.js";
import { failure, note, say } from "../notes.js";
import { Step } from "./step.js";

/** @typedef {import("./stored.js").Event} Event */
/**
 * @typedef {object} Heard
 * @property {(message: string) => void} onSay
 * @property {(runId: string, interruptId: string, correction: Record<string, unknown>) => Promise<void>} onAnswer
 */

const STEPS = /** @type {const} */ (["route", "reformulate", "passages", "pre_tools", "think", "suggest"]);

let count = 0;

export class Turn {
  /** @param {import("../../main.js").Context} context @param {Heard} heard @param {string} message */
  constructor(context, heard, message) {
    this.context = context;
    this.heard = heard;
    this.message = message;
    this.runId = "";
    this.isOver = false;
    /** @type {Map<string, Step>} */
    this.steps = new Map();
    /** @type {Map<string, {text: string, element: HTMLElement, frame: number}>} */
    this.words = new Map();
    /** What was asked back and waits for an answer: ids of interrupts. @type {string[]} */
    this.waits = [];
    /** @type {Record<string, any>[]} */
    this.sources = [];
    this.alone = h("p", { class: "small muted", dir: "auto", hidden: true });
    this.course = h("div", { class: "stack" });
    this.asked = h("div", { class: "stack" });
    this.now = h("p", { class: "turn-now small", role: "status", hidden: true });
    this.below = h("div", { class: "turn-sources" });
    this.end = h("div", { class: "stack" });
    const id = `turn${(count += 1)}`;
    this.title = h("h2", { class: "said", id, tabindex: "-1", dir: "auto" }, message);
    this.element = h("article", { class: "turn", "aria-busy": "true", "aria-labelledby": id }, this.title, this.alone, this.course, this.asked, this.now, this.below, this.end);
  }

  /** Take the next event of the run. @param {Event} event */
  take(event) {
    const { type } = event;
    if (type.startsWith("TOOL_CALL_")) this.#tool(event);
    else if (type.startsWith("TEXT_MESSAGE_")) this.#text(event);
    else if (type === "CUSTOM") this.#custom(event.name.replace(/^askwell\./, ""), event.value);
    else if (type === "STEP_STARTED") this.#does(STEPS.find((one) => one === event.stepName) ?? "think");
    else if (type === "RUN_STARTED") this.begin();
    else if (type === "RUN_FINISHED") this.#finished(event.outcome ?? {});
    else if (type === "RUN_ERROR") this.failed(note("bad", String(event.message || t("failed")), "", this.#again()));
  }

  /** Take it as it was kept, without what was asked back or went wrong. @param {Event[]} events */
  load(events) {
    for (const event of events) this.take(event);
    this.#over();
  }

  /** What the run itself says of its end. @param {Record<string, any>} run */
  settle(run) {
    if (run.status === "stopped") this.#stopped();
    else if (run.status === "failed") this.failed(note("bad", run.error?.message ?? t("failed"), run.error?.hint ?? "", this.#again()));
    else this.#suggest(run.suggested_questions ?? []);
    this.#over();
  }

  /** It did not work. @param {Element | unknown} problem @param {() => void} [again] */
  failed(problem, again) {
    this.#over();
    fill(this.end, problem instanceof Element ? problem : failure(problem, again));
  }

  /** Tell readers what it came to: what is asked back, or the beginning of the last words. */
  say() {
    const asked = this.asked.querySelector(".clarify-question")?.textContent;
    const words = [...this.course.querySelectorAll(".turn-words")].at(-1)?.textContent ?? this.end.textContent ?? "";
    say(asked ? t("outcome.asked", { question: asked }) : beginning(words, 200), this.element);
  }

  /** It begins, or goes on. */
  begin() {
    this.isOver = false;
    this.waits = [];
    const hadFocus = this.element.contains(focusedIn(this.element));
    fill(this.asked);
    fill(this.end);
    if (hadFocus && isFocusLost(this.element)) this.title.focus({ preventScroll: true });
    this.element.setAttribute("aria-busy", "true");
    this.#does("think");
  }

  // -- what happens -------------------------------------------------------------------------------------------------

  /** @param {(typeof STEPS)[number]} step */
  #does(step) {
    this.now.hidden = false;
    fill(this.now, h("span", { class: "step-dot" }), t(`agent.${step}`));
  }

  /** @param {Event} event */
  #tool(event) {
    const { type, toolCallId: id } = event;
    if (type === "TOOL_CALL_START") this.#begun(id, event.toolCallName);
    const step = this.steps.get(id) ?? this.#begun(id, event.toolCallName ?? "");
    if (type === "TOOL_CALL_ARGS") step.say(event.delta);
    if (type === "TOOL_CALL_RESULT") step.give(event.content);
  }

  /** @param {string} id @param {string} tool */
  #begun(id, tool) {
    const step = new Step(this.context, tool);
    this.steps.set(id, step);
    this.course.append(step.element);
    return step;
  }

  /** @param {Event} event */
  #text({ type, messageId, delta }) {
    const known = this.words.get(messageId) ?? { text: "", element: h("div", { class: "md turn-words", dir: "auto" }), frame: 0 };
    this.words.set(messageId, known);
    if (type === "TEXT_MESSAGE_END") {
      cancelAnimationFrame(known.frame);
      fill(known.element, markdown(known.text));
      return;
    }
    known.text += delta ?? "";
    if (known.text && !known.element.isConnected) this.course.append(known.element);
    cancelAnimationFrame(known.frame);
    known.frame = requestAnimationFrame(() => fill(known.element, markdown(known.text)));
  }

  /** @param {string} name @param {any} value */
  #custom(name, value) {
    const step = () => this.steps.get(value.toolCallId) ?? this.#begun(value.toolCallId ?? "", "");
    switch (name) {
      case "sql":
      case "data":
        return step().show(name, value);
      case "chart":
        return step().draw(value.chart_schema);
      case "progress":
        return step().reach(value.status);
      case "citations":
        this.sources.push(...value);
        return fill(this.below, citations({ citations: this.sources }));
      case "suggestions":
        return this.#suggest(value);
      case "warning":
        return this.course.append(note("warn", String(value.message ?? "")));
      case "question":
        this.alone.hidden = false;
        return fill(this.alone, t("reading"), " ", value.question);
    }
  }

  /** @param {string[]} questions */
  #suggest(questions) {
    const chips = next(questions, this.heard.onSay);
    if (chips) fill(this.end, chips);
  }

  // -- how it ends --------------------------------------------------------------------------------------------------

  /** @param {Record<string, any>} outcome */
  #finished(outcome) {
    if (outcome.type === "interrupt") {
      this.now.hidden = true;
      this.element.setAttribute("aria-busy", "false");
      this.waits = (outcome.interrupts ?? []).map((/** @type {any} */ one) => one.id);
      fill(this.asked, (outcome.interrupts ?? []).map((/** @type {any} */ one) => this.#interrupt(one)));
      return;
    }
    if (outcome.type === "cancelled") this.#stopped();
    this.#over();
  }

  /** @param {Record<string, any>} interrupt */
  #interrupt(interrupt) {
    const asked = { question: interrupt.message, ...interrupt.metadata?.clarification };
    const draft = new FormDraft(this.context, "clarification", interrupt.id);
    const shown = clarification(asked, async (correction) => {
      await this.heard.onAnswer(this.runId, interrupt.id, correction);
      shown.remove();
    }, draft);
    return shown;
  }

  #stopped() {
    fill(this.end, note("info", t("agent.stopped"), "", this.#again()));
  }

  #over() {
    this.isOver = true;
    this.waits = [];
    this.now.hidden = true;
    fill(this.asked);
    this.element.setAttribute("aria-busy", "false");
    if (!this.course.hasChildNodes() && !this.end.hasChildNodes()) fill(this.end, note("info", t("agent.nothing"), "", this.#again()));
  }

  #again() {
    return h("button", { class: "button is-small", type: "button", onclick: () => this.heard.onSay(this.message) }, icon("ask"), t("ask.again"));
  }
}
