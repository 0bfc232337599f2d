// One question and what becomes of it: its stages, what is asked back, and the answer.
import { hasEnded, newKey, startAsk } from "../lib/asking.js";
import { fill, h } from "../lib/dom.js";
import { ServiceError } from "../lib/errors.js";
import { events, read } from "../lib/events.js";
import { readable } from "../lib/format.js";
import { focusedIn, isFocusLost } from "../lib/layer.js";
import { t } from "../lib/text.js";
import { answer, changeable, next } from "./answer.js";
import { clarification } from "./clarification.js";
import { FormDraft } from "./keep/form-draft.js";
import { failure, note, say, toastError } from "./notes.js";
import { outcome, why } from "./outcome.js";
import { checkButton, reasons } from "./sql-check.js";
import { Stages } from "./stages.js";
import { suggestions } from "./suggestions.js";

/** The result of an ask: docs/api.md has its fields. @typedef {Record<string, any>} Result */
/**
 * What questions are asked with, on the page or on another site, which has none of its other places.
 * @typedef {object} Asking
 * @property {import("../lib/api.js").Api} api
 * @property {Pick<import("../lib/session.js").Session, "may"> & {me?: {name: string} | null}} session
 * @property {string} project
 * @property {Pick<Storage, "getItem" | "setItem">} [storage] what is kept as long as the tab is open
 * @property {string} [language] what a language model answers in, in English; else English
 * @property {(view: string, ...rest: string[]) => string | null} address of a place in the project
 * @property {boolean} [hidesSql] whether answers have neither SQL nor evidence
 * @property {(isAway: boolean) => void} away told when the service is gone, and when it is back
 * @property {AbortSignal} signal aborted when nobody looks any more
 */
/**
 * @typedef {object} Heard
 * @property {(card: AskCard) => void} onChange
 * @property {(question: string, more?: Record<string, unknown>) => void} onAsk
 * @property {(card: AskCard) => void} [onAccepted] the service has it, and will not lose it
 * @property {(card: AskCard) => void} [onClarify] something is asked back, which stands in the result
 * @property {(card: AskCard) => string | null} [address] of the thread as far as the card; without it that of its question
 * @property {(card: AskCard) => void} [onEnd] the ask has ended
 * @property {(error: unknown, card: AskCard) => void} [onFailed] it could not be asked, or followed
 */

let count = 0;

export class AskCard {
  /** @param {Asking} context @param {Heard} heard @param {string} question */
  constructor(context, heard, question) {
    this.context = context;
    this.heard = heard;
    this.question = question;
    this.id = "";
    /** What a link says that the question is; it is shown where nothing else is known of it. */
    this.linked = "";
    /** Whether there is nothing of it but these words. */
    this.isOnlyWords = false;
    this.key = newKey();
    /** @type {Result | null} */
    this.result = null;
    this.text = "";
    this.isWorking = false;
    this.isStopped = false;
    /** The id of the last event that was seen. */
    this.seen = "";
    /** @type {unknown} what was asked before it, as a request says it */
    this.histories = [];
    this.leaving = new AbortController();
    this.isFollowed = false;
    /** The id of the clarification that is answered here. */
    this.answered = "";
    /** Aborted once what is asked back is not only looked at now and then. */
    this.looking = new AbortController();
    /** Whether what becomes of it is said to readers, and with its question. */
    this.saying = { isHeard: true, isNamed: false };
    const id = `asked${(count += 1)}`;
    this.title = h("h2", { class: "asked", id, tabindex: "-1" }, h("bdi", null, question));
    this.stages = new Stages();
    this.body = h("div", { class: "asked-body" });
    this.element = h("article", { class: "ask-card", "aria-busy": "true", "aria-labelledby": id }, this.title, this.stages.element, this.body);
  }

  /**
   * Ask a question that follows on `histories`.
   * @param {Asking} context @param {string} question
   * @param {{question: string, sql: string}[]} histories @param {Record<string, unknown>} more @param {Heard} heard
   */
  static ask(context, question, histories, more, heard) {
    const card = new AskCard(context, heard, question);
    card.histories = more.histories ?? histories;
    card.#begin({ ...more, histories: card.histories });
    // What was pressed to ask it may be gone by then.
    requestAnimationFrame(() => isFocusLost(card.element) && card.title.focus({ preventScroll: true }));
    return card;
  }

  /**
   * A question that was asked before.
   * @param {Asking} context @param {string} id @param {Heard} heard @param {boolean} isHeard whether readers say what became of it
   * @param {string} [linked] what a link says that the question is
   */
  static load(context, id, heard, isHeard, linked = "") {
    const card = new AskCard(context, heard, "");
    card.linked = linked.trim();
    card.saying = { isHeard, isNamed: true };
    card.id = id;
    card.#open();
    return card;
  }

  /** What a question after this one is told of it; null where it has no SQL. */
  get turn() {
    const sql = this.result?.status === "finished" ? this.result.response?.[0]?.sql : null;
    return sql ? { question: this.question, sql: String(sql) } : null;
  }

  /** Whether something is asked back that nobody has answered here. */
  get isOpen() {
    return this.result?.status === "awaiting_correction" && this.answered !== this.result.clarification.id;
  }

  async stop() {
    const { isOpen } = this;
    if (!this.isWorking && !isOpen) return;
    this.isStopped = true;
    // Where the service has not said yet what the question is called, it is stopped as soon as it has.
    if (!this.id) return;
    try {
      await this.context.api.send("PATCH", `/v1/asks/${this.id}`, { status: "stopped" });
      if (isOpen) await this.#goOn();
    } catch (error) {
      // It goes on, and so does what is shown of it.
      toastError(error);
    }
  }

  /** Nobody looks at it any more; what was asked goes on at the service. */
  leave() {
    this.leaving.abort();
    this.stages.end();
  }

  /** @param {Record<string, unknown>} more */
  async #begin(more) {
    this.isStopped = false;
    this.#working(true);
    this.stages.begin(() => this.stop());
    const { api, project, language } = this.context;
    await this.#try(async () => {
      this.id = await startAsk(api, project, this.question, { more, language, key: this.key, signal: this.leaving.signal });
      this.heard.onAccepted?.(this);
      if (this.isStopped) await this.stop();
      await this.#follow();
    }, () => this.#begin(more));
  }

  async #open() {
    await this.#try(async () => {
      const found = await this.context.api.get(`/v1/asks/${this.id}`, {}, this.leaving.signal);
      this.question = found.query;
      this.histories = found.histories;
      fill(this.title, h("bdi", null, found.query));
      if (hasEnded(found.status)) {
        if (found.type === "GENERAL") await this.#words();
        this.#show(found);
      } else {
        this.#working(true);
        this.stages.begin(() => this.stop());
        await this.#follow();
      }
    }, () => this.#open());
  }

  /** Show what becomes of it, once at a time. */
  async #follow() {
    if (this.isFollowed) return;
    this.isFollowed = true;
    try {
      await this.#hear();
    } finally {
      this.isFollowed = false;
    }
  }

  async #hear() {
    const more = { after: this.seen, signal: this.leaving.signal, onAway: this.context.away };
    for await (const event of events(this.context.api, `/v1/asks/${this.id}/events`, more)) {
      this.seen = event.id ?? this.seen;
      if (event.name === "delta") {
        this.text += event.data.message;
        this.stages.words(this.text);
        continue;
      }
      // It began anew, and so do its words.
      if (event.data.status === "understanding") this.text = "";
      this.#show(event.data);
      if (event.data.status === "awaiting_correction" && (await this.#isAskedBack())) return this.#lookAgain();
    }
    if (this.result && hasEnded(this.result.status)) return;
    this.#show(await this.#now());
  }

  /** @returns {Promise<Result>} what the service says of it now */
  #now() {
    return this.context.api.get(`/v1/asks/${this.id}/result`, {}, this.leaving.signal);
  }

  /** Whether what is asked back here waits for an answer still. */
  async #isAskedBack() {
    const shown = this.result?.clarification?.id;
    const { status, clarification: asked } = await this.#now();
    return status === "awaiting_correction" && asked?.id === shown && this.answered !== shown;
  }

  /**
   * It may take a day until somebody answers, and browsers have few connections: nothing is followed meanwhile, but
   * looked at when somebody looks at the page again.
   */
  #lookAgain() {
    this.looking.abort();
    this.looking = new AbortController();
    const look = async () => {
      if (document.hidden || (await this.#isAskedBack().catch(() => true)) || this.looking.signal.aborted) return;
      this.looking.abort();
      await this.#try(() => this.#follow());
    };
    document.addEventListener("visibilitychange", look, { signal: AbortSignal.any([this.leaving.signal, this.looking.signal]) });
  }

  /** The words of an answer that was given before. */
  async #words() {
    this.text = "";
    const stream = await this.context.api.fetch("GET", `/v1/asks/${this.id}/streaming-result`, { signal: this.leaving.signal });
    for await (const { data } of read(stream)) this.text += data.message ?? "";
  }

  /** @param {Result} result */
  #show(result) {
    const before = this.result?.clarification?.id;
    this.result = result;
    const isEnd = hasEnded(result.status);
    const hadFocus = this.element.contains(focusedIn(this.element));
    this.element.setAttribute("aria-busy", String(!isEnd));
    this.stages.show(result);
    if (isEnd) this.stages.end();
    this.#working(!isEnd && result.status !== "awaiting_correction");
    fill(this.body, this.#content(result));
    if (result.status === "awaiting_correction" && result.clarification.id !== before) this.heard.onClarify?.(this);
    if (hadFocus && isFocusLost(this.element)) this.title.focus({ preventScroll: true });
    this.say();
    if (isEnd) this.heard.onEnd?.(this);
  }

  /** Tell readers what became of it. */
  say() {
    if (!this.saying.isHeard || this.result === null) return;
    const words = outcome(this.result, this.body.querySelector(".answer-words")?.textContent ?? "");
    if (words) say(this.saying.isNamed ? `${this.question} ${words}` : words, this.element);
  }

  /** @param {Result} result @returns {import("../lib/dom.js").Child} */
  #content(result) {
    if (result.status === "awaiting_correction") {
      const { storage } = this.context;
      const draft = storage ? new FormDraft({ ...this.context, storage }, "clarification", result.clarification.id) : null;
      return clarification(result.clarification, (correction) => this.correct(correction), draft, this.context.session.may("curate"));
    }
    if (result.status === "stopped") return note("info", t("stopped"), "", this.#again());
    if (result.status === "failed") return this.#failed(result);
    if (result.status === "finished") {
      return answer({ context: this.context, card: this, result, text: this.text, onAsk: this.heard.onAsk });
    }
    return null;
  }

  /** @param {Result} result */
  #failed(result) {
    const { error = {} } = result;
    // That the data does not have it, or that it is not clear, is an answer; what broke is an alarm.
    const { context, question } = this;
    const { text, reasons: all, hint } = why(result);
    const { rephrased_question: asked = question, invalid_sql: sql } = result;
    const check = !context.hidesSql && checkButton(context, asked);
    const statement = sql && !context.hidesSql && h("details", null, h("summary", null, t(all.length ? "unanswered.sql" : "failed.sql")), changeable({ context, card: this, result: { sql } }));
    if (error.code === "OTHERS") return h("div", { class: "stack" }, note("bad", text, hint, this.#again(), check), statement);
    const words = [h("p", { class: "answer-sentence", dir: "auto" }, text), reasons(all), hint && h("p", { dir: "auto" }, hint)];
    return h("div", { class: "refusal card stack" }, words, this.#otherWays(result.suggested_questions, check), statement);
  }

  /** What leads on from a question that the data has no answer to. @param {string[] | undefined} asked what else may be asked @param {import("../lib/dom.js").Child} more */
  #otherWays(asked, more) {
    const { session, address, storage } = this.context;
    const data = address("model");
    const words = session.may("curate") ? address("keep", "lessons") : null;
    const links = [data && h("a", { href: data }, t("failed.data")), words && h("a", { href: words }, t("failed.teach"))];
    const others = asked ? next(asked, this.heard.onAsk) : storage && suggestions({ ...this.context, storage }, this.heard.onAsk);
    return [others, h("p", { class: "row small" }, links, more)];
  }

  #again() {
    return h("button", { class: "button is-small", type: "button", onclick: () => this.heard.onAsk(this.question) }, t("ask.again"));
  }

  /** @param {Record<string, unknown>} correction */
  async correct(correction) {
    this.answered = this.result?.clarification?.id;
    try {
      await this.context.api.send("POST", `/v1/asks/${this.id}/corrections`, { ...correction, clarification_id: this.answered });
    } catch (error) {
      this.answered = "";
      if (!(error instanceof ServiceError) || ![404, 409].includes(error.status)) throw error;
      // Gone: that is shown. Answered elsewhere: so is what comes of that.
      if (error.status === 404) return this.#try(() => Promise.reject(error));
    }
    this.#goOn();
  }

  /** Something has become of what was asked back. */
  #goOn() {
    this.looking.abort();
    this.#working(true);
    return this.#try(() => this.#follow());
  }

  /** The service does not know the ask any more, or not for whoever looks now. */
  #gone() {
    if (this.question) return note("info", t("gone.asked"), t("gone.asked.hint"), this.#again());
    if (this.linked) {
      this.isOnlyWords = true;
      fill(this.title, h("bdi", null, readable(this.linked)));
      const ask = h("button", { class: "button is-small is-main", type: "button", onclick: () => this.heard.onAsk(this.linked) }, t("gone.linked.ask"));
      return note("info", t("gone"), t("gone.linked.hint"), ask);
    }
    fill(this.title, t("gone.title"));
    return note("info", t("gone"), t("gone.hint"));
  }

  /** @param {boolean} now */
  #working(now) {
    this.isWorking = now;
    this.heard.onChange(this);
  }

  /** Do something, and show in the card why it does not work. @param {() => Promise<unknown>} act @param {(() => void)} [again] */
  async #try(act, again) {
    try {
      await act();
    } catch (error) {
      if (this.leaving.signal.aborted) return;
      this.stages.end();
      this.#working(false);
      this.element.setAttribute("aria-busy", "false");
      this.heard.onFailed?.(error, this);
      // What is not there is the ask, once there was one; before, it is the project.
      const isGone = this.id !== "" && error instanceof ServiceError && error.status === 404;
      fill(this.body, isGone ? this.#gone() : failure(error, again));
      if (isGone && this.saying.isHeard) say(t("gone"), this.element);
    }
  }
}
