// The messages of one thread: what was said before, and what is said now.
import { newKey, timezone } from "../../lib/asking.js";
import { fill, h, numbered } from "../../lib/dom.js";
import { ServiceError } from "../../lib/errors.js";
import { events } from "../../lib/events.js";
import { t } from "../../lib/text.js";
import { failure, note, progress, toast, toastError } from "../notes.js";
import { turnsOf } from "./stored.js";
import { Turn } from "./turn.js";

/**
 * @typedef {object} Heard
 * @property {(isWorking: boolean) => void} onWorking
 * @property {(threadId: string) => void} onBegun a thread has begun by the first message
 * @property {() => void} onEnded a run has ended
 * @property {(message: string) => void} onKept a message could not be sent and is not lost
 */

const GOING_ON = ["queued", "running", "awaiting_input"];

export class Conversation {
  /** @param {import("../../main.js").Context} context @param {Heard} heard */
  constructor(context, heard) {
    this.context = context;
    this.heard = heard;
    this.threadId = "";
    this.agentId = "";
    /** @type {Turn[]} */
    this.turns = [];
    this.leaving = new AbortController();
    this.element = h("div", { class: "thread", role: "group", "aria-label": t("chat") });
    context.signal.addEventListener("abort", () => this.leaving.abort());
  }

  /** Whether an answer is on its way; while something is asked back, none is. */
  get isWorking() {
    const last = this.turns.at(-1);
    return last !== undefined && !last.isOver && last.waits.length === 0;
  }

  /** Show a thread, and follow its run where one goes on; "" begins another one. @param {string} threadId */
  async open(threadId) {
    this.leaving.abort();
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    this.threadId = threadId;
    this.#show([]);
    if (!threadId) return;
    fill(this.element, progress());
    try {
      const { api, project } = this.context;
      const { messages } = await api.get(`/v1/threads/${encodeURIComponent(threadId)}/messages`, { project_id: project }, signal);
      const kept = turnsOf(messages);
      const runs = await Promise.all(kept.map((one, at) => this.#run(one.runId, at === kept.length - 1 || !one.hasWords || one.isCut)));
      if (signal.aborted) return;
      this.#show(kept.map((one, at) => this.#kept(one, runs[at])));
      const last = this.turns.at(-1);
      last?.element.scrollIntoView({ block: "start" });
      if (last && !last.isOver) await this.#follow(last);
    } catch (error) {
      if (!signal.aborted) this.#missing(error);
    }
  }

  /** @param {unknown} error */
  #missing(error) {
    const isGone = error instanceof ServiceError && error.status === 404;
    fill(this.element, isGone ? note("info", t("chat.gone")) : failure(error, () => this.open(this.threadId)));
  }

  /** Send a message, which answers what was asked back, where something was. @param {string} message */
  async send(message) {
    const last = this.turns.at(-1);
    if (last?.waits.length) {
      await this.#reply(last, message);
      return;
    }
    const turn = this.#turn(message);
    this.turns.push(turn);
    this.element.append(turn.element);
    numbered(this.turns.map((one) => one.element));
    turn.element.scrollIntoView({ block: "start", behavior: "smooth" });
    // The same key when it is tried again: what was accepted once is not said twice.
    await this.#send(turn, newKey());
  }

  async stop() {
    const last = this.turns.at(-1);
    if (!last?.runId || last.isOver) return;
    try {
      await this.context.api.send("PATCH", `/v1/runs/${last.runId}`, { status: "stopped", project_id: this.context.project });
    } catch (error) {
      toastError(error);
    }
  }

  /** @param {Turn[]} turns */
  #show(turns) {
    this.turns = turns;
    fill(this.element, turns.map((turn) => turn.element));
    numbered(turns.map((turn) => turn.element));
    this.heard.onWorking(this.isWorking);
  }

  /** @param {string} message */
  #turn(message) {
    const onSay = (/** @type {string} */ text) => (this.isWorking ? this.heard.onKept(text) : this.send(text));
    return new Turn(this.context, { onSay, onAnswer: (...said) => this.#answer(...said) }, message);
  }

  /** @param {ReturnType<typeof turnsOf>[number]} kept @param {Record<string, any> | null} run */
  #kept(kept, run) {
    const turn = this.#turn(kept.message);
    turn.runId = kept.runId;
    // What goes on is told from its beginning.
    if (run && GOING_ON.includes(run.status)) turn.begin();
    else {
      turn.load(kept.events);
      if (run) turn.settle(run);
    }
    return turn;
  }

  /** How a run ended, where that has to be known and still is. @param {string} runId @param {boolean} isNeeded */
  async #run(runId, isNeeded) {
    if (!isNeeded || !runId) return null;
    try {
      return await this.context.api.get(`/v1/runs/${runId}`, { project_id: this.context.project }, this.leaving.signal);
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return null;
      throw error;
    }
  }

  /** @param {Turn} turn @param {string} key */
  async #send(turn, key) {
    const { api, project } = this.context;
    const { signal } = this.leaving;
    turn.begin();
    this.heard.onWorking(true);
    const body = { message: turn.message, project_id: project, thread_id: this.threadId || undefined, agent_id: this.agentId || undefined, configurations: { timezone: timezone() } };
    try {
      const begun = await api.send("POST", "/v1/chats", body, { signal, headers: { "Idempotency-Key": key } });
      turn.runId = begun.run_id;
      if (!this.threadId) {
        this.threadId = begun.thread_id;
        this.heard.onBegun(begun.thread_id);
      }
      await this.#follow(turn);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ServiceError && error.status === 409 && this.threadId) this.#overtaken(turn.message);
      else turn.failed(error, () => this.#send(turn, key));
      this.heard.onWorking(this.isWorking);
    }
  }

  /** Another tab was quicker: what it asked is shown, and what was to be said here waits in the box. @param {string} message */
  #overtaken(message) {
    this.heard.onKept(message);
    toast(t("chat.busy"));
    this.open(this.threadId);
  }

  /** @param {Turn} turn */
  async #follow(turn) {
    const { api, project, away } = this.context;
    const { signal } = this.leaving;
    const path = `/v1/runs/${turn.runId}/events?${new URLSearchParams({ project_id: project })}`;
    try {
      for await (const { data } of events(api, path, { signal, ends, onAway: away })) {
        turn.take(data);
        if (data.type === "RUN_FINISHED") turn.say();
        if (data.type.startsWith("RUN_")) this.heard.onWorking(this.isWorking);
      }
      if (!turn.isOver) turn.settle(await api.get(`/v1/runs/${turn.runId}`, { project_id: project }, signal));
    } catch (error) {
      if (signal.aborted) return;
      turn.failed(error, () => this.open(this.threadId));
    }
    this.heard.onWorking(this.isWorking);
    this.heard.onEnded();
  }

  /** @param {Turn} turn @param {string} message */
  async #reply(turn, message) {
    try {
      await this.#answer(turn.runId, turn.waits[0], { type: "text", text: message });
    } catch (error) {
      this.heard.onKept(message);
      toastError(error);
    }
  }

  /** @param {string} runId @param {string} interruptId @param {Record<string, any>} correction */
  async #answer(runId, interruptId, correction) {
    const { api, project } = this.context;
    const payload = correction.option_id ?? correction.text ?? correction.values ?? {};
    try {
      await api.send("POST", `/v1/runs/${runId}/input`, { interrupt_id: interruptId, project_id: project, payload }, { signal: this.leaving.signal });
    } catch (error) {
      // It was answered in another tab: the run goes on, and is followed here already.
      if (!(error instanceof ServiceError && error.status === 409)) throw error;
    }
  }
}

/** @param {import("../../lib/events.js").ServerEvent} event */
function ends({ data }) {
  return data.type === "RUN_ERROR" || (data.type === "RUN_FINISHED" && data.outcome?.type !== "interrupt");
}
