// `<askwell-ask>`: asking, on another site. docs/embedding.md says what a site has to do for it.
//
// Everything is within the element's shadow root. The site's page is not changed, and neither are its address, its
// storage, its globals and its registry of elements, but for this one.
import { Api } from "./lib/api.js";
import { fill, h } from "./lib/dom.js";
import { ServiceError } from "./lib/errors.js";
import { useLayer } from "./lib/layer.js";
import { LANGUAGE, t } from "./lib/text.js";
import { AskCard } from "./parts/ask-card.js";
import { toastError } from "./parts/notes.js";
import { correctionOf } from "./parts/embed/answering.js";
import { keepTyping } from "./parts/embed/keys.js";
import { reflect, takeOver } from "./parts/embed/properties.js";
import { plainSheet, sheets } from "./parts/embed/sheets.js";
import { said, tell, tellEnd, tellFailure } from "./parts/embed/telling.js";
import { STOPPED, Tokens } from "./parts/embed/tokens.js";
import { shownOtherwise } from "./parts/other-view.js";
import { questionBox } from "./parts/question-box.js";

// The address of the service that these modules are of, without the slash at its end.
const OWN = new URL("../..", import.meta.url).href.replace(/\/$/, "");
// Earlier questions and answers are taken away.
const MOST = 20;
const NOTHING_KEPT = { getItem: () => null, setItem: () => {} };
const TEXTS = ["project", "src", "theme", "question", "placeholder"];

/** @typedef {import("./parts/ask-card.js").Asking} Asking */

class AskwellAsk extends HTMLElement {
  static observedAttributes = ["token", ...TEXTS];
  #shadow = this.attachShadow({ mode: "open" });
  /** All that is shown, dialogs too: what a site's styles give the element to inherit ends here. */
  #root = h("div", { class: "embed-root" });
  #tokens = new Tokens();
  /** @type {AbortController | null} */
  #leaving = null;
  /** @type {Asking | null} */
  #context = null;
  /** @type {ReturnType<typeof questionBox> | null} */
  #box = null;
  /** What was to be asked before it could be. */
  #waiting = "";
  /** @type {AskCard[]} */
  #cards = [];
  #away = h("p", { class: "away note is-warn", role: "status", hidden: true }, t("away.now"));
  #thread = h("div", { class: "thread", role: "group", "aria-label": t("thread"), hidden: true });

  constructor() {
    super();
    this.#shadow.append(this.#root);
    // Dialogs and the like are shown in the element that is used.
    for (const name of ["pointerdown", "keydown", "focusin"]) this.#shadow.addEventListener(name, () => useLayer(this.#root), true);
    keepTyping(this.#root);
  }

  /** Gives tokens, in the place of `token`; asked again when one is refused. */
  get tokenProvider() {
    return this.#tokens.provider;
  }

  set tokenProvider(provider) {
    this.#tokens.provider = provider;
  }

  /** What is sent as bearer token. It does not become an attribute, which more of a page can read. @returns {string} */
  get token() {
    return this.#tokens.text ?? "";
  }

  set token(text) {
    this.#tokens.text = text ? String(text) : null;
  }

  /**
   * Ask, as if it had been typed. False where that cannot be: for no text, and while another question is worked on.
   * @param {string} text
   */
  ask(text) {
    const question = String(text ?? "").trim();
    if (!question || this.#waiting || this.#cards.at(-1)?.isWorking) return false;
    if (this.#context === null) this.#waiting = question;
    else this.#said(question);
    return true;
  }

  /** Stop what is worked on, or what something is asked back for. */
  stop() {
    this.#waiting = "";
    this.#cards.at(-1)?.stop();
    this.#tokens.stop();
  }

  /**
   * Answer what is asked back. False where nothing is, or where this is no answer to it.
   * @param {import("./parts/embed/answering.js").Given} given
   */
  answer(given) {
    const card = this.#cards.at(-1);
    const correction = card?.isOpen ? correctionOf(given, card.result?.clarification) : null;
    if (!card || correction === null) return false;
    card.correct(correction).catch((error) => {
      toastError(error);
      this.#failed(error, card);
    });
    return true;
  }

  /** Stop what is worked on, empty the box, and begin a new thread. */
  clear() {
    const open = this.#cards.filter((card) => card.isWorking || card.isOpen);
    this.stop();
    this.#empty();
    for (const card of open) tell(this, "stopped", card);
    this.#box?.empty();
    this.#box?.working(false);
  }

  #empty() {
    for (const card of this.#cards) card.leave();
    this.#cards = [];
    fill(this.#thread);
    this.#thread.hidden = this.#away.hidden = true;
  }

  /** Put the focus into the box. @override @param {FocusOptions} [options] */
  focus(options) {
    const field = /** @type {HTMLTextAreaElement | null} */ (this.#root.querySelector("textarea.question"));
    field?.focus(options);
  }

  connectedCallback() {
    takeOver(this, ["tokenProvider", "token", "noSql", ...TEXTS]);
    if (this.#leaving === null) this.#begin();
  }

  disconnectedCallback() {
    // Moved to another place on the site's page, it goes on.
    queueMicrotask(() => this.isConnected || this.#leave());
  }

  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    if (name === "token") this.token = now ?? "";
    if (before === now || this.#leaving === null) return;
    if (name === "theme") this.#shadow.dispatchEvent(new Event("askwell-theme"));
    else if (name === "question") this.#box?.offer(now ?? "");
    else if (name === "placeholder") this.#box?.placeholder(this.#placeholder);
    else if (name !== "token") {
      this.#leave();
      this.#begin();
    }
  }

  get #placeholder() {
    return this.getAttribute("placeholder") ?? t("question.placeholder");
  }

  async #begin() {
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    this.#tokens.forget();
    try {
      this.#shadow.adoptedStyleSheets = await sheets();
    } catch (error) {
      if (!signal.aborted) this.#unloaded(error);
      return;
    }
    if (signal.aborted) return;
    const base = this.#base;
    if (base === null) {
      fill(this.#root, h("div", { class: "embed", role: "alert", lang: LANGUAGE }, h("p", null, t("embed.address"))));
      return;
    }
    this.#context = this.#asking(base, signal);
    this.#box = questionBox({ onAsk: (question) => this.#said(question), onStop: () => this.stop(), storage: NOTHING_KEPT, placeholder: this.#placeholder });
    this.#box.offer(this.getAttribute("question") ?? "");
    fill(this.#root, h("div", { class: "embed", lang: LANGUAGE }, this.#thread, this.#away, this.#box.element));
    const waiting = this.#waiting;
    this.#waiting = "";
    this.ask(waiting);
  }

  #leave() {
    this.#leaving?.abort();
    this.#leaving = null;
    this.#context = null;
    this.#box = null;
    this.#empty();
    fill(this.#root);
  }

  /** Without the style sheets nothing else is shown. @param {unknown} error */
  #unloaded(error) {
    const again = () => {
      this.#leave();
      this.#begin();
    };
    this.#shadow.adoptedStyleSheets = [plainSheet()];
    fill(this.#root, h("div", { role: "alert", lang: LANGUAGE }, h("p", null, t("embed.unloaded")), h("button", { type: "button", onclick: again }, t("again"))));
    this.#failed(error);
  }

  /** The address of the service; null where `src` is none. */
  get #base() {
    try {
      return new URL((this.getAttribute("src") ?? OWN).replace(/\/+$/, ""), document.baseURI).href.replace(/\/$/, "");
    } catch {
      return null;
    }
  }

  /** @param {string} base @param {AbortSignal} signal @returns {Asking} */
  #asking(base, signal) {
    const hidesSql = () => this.hasAttribute("no-sql");
    const api = new Api({
      base,
      token: () => this.#tokens.current(),
      csrf: () => null,
      onUnknown: () => this.#tokens.refused(),
      onAnswer: () => (this.#away.hidden = true),
      said,
    });
    return {
      api,
      // What may be changed by answers is changed on the service's own page.
      session: { may: () => false },
      project: this.getAttribute("project") || "default",
      language: languageOf(this.lang),
      address: () => null,
      get hidesSql() {
        return hidesSql();
      },
      away: (isAway) => (this.#away.hidden = !isAway),
      signal,
    };
  }

  // -- asking -------------------------------------------------------------------------------------------------------

  /** What was typed: a question, or how the answer before it is to be shown. @param {string} words */
  #said(words) {
    if (!shownOtherwise(words, this.#cards.map((card) => card.element))) this.#ask(words);
  }

  /** @param {string} question @param {Record<string, unknown>} [more] */
  #ask(question, more = {}) {
    if (this.#context === null) return;
    const histories = this.#cards.map((card) => card.turn).filter((turn) => turn !== null);
    const heard = {
      onChange: (/** @type {AskCard} */ card) => this.#changed(card),
      onAsk: (/** @type {string} */ next, /** @type {Record<string, unknown>} */ also = {}) => this.#ask(next, also),
      onAccepted: (/** @type {AskCard} */ card) => tell(this, "asked", card),
      onClarify: (/** @type {AskCard} */ card) => tell(this, "clarify", card, { clarification: structuredClone(card.result?.clarification) }),
      onEnd: (/** @type {AskCard} */ card) => tellEnd(this, card),
      onFailed: (/** @type {unknown} */ error, /** @type {AskCard} */ card) => this.#failed(error, card),
    };
    const card = AskCard.ask(this.#context, question, histories, more, heard);
    for (const gone of [...this.#cards, card].slice(0, -MOST)) {
      gone.leave();
      gone.element.remove();
    }
    this.#cards = [...this.#cards, card].slice(-MOST);
    this.#changed(card);
    this.#thread.hidden = false;
    this.#thread.append(card.element);
    card.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {AskCard} card */
  #changed(card) {
    if (card === this.#cards.at(-1)) this.#box?.working(card.isWorking);
  }

  /** @param {unknown} error @param {AskCard} [card] */
  #failed(error, card) {
    if (card && error instanceof ServiceError && error.code === STOPPED) tell(this, "stopped", card);
    else tellFailure(this, error, card);
  }
}

reflect(AskwellAsk.prototype, TEXTS, ["no-sql"]);

/** The name in English that a language model knows a language by. @param {string} tag BCP 47; "" for none */
function languageOf(tag) {
  try {
    return tag ? new Intl.DisplayNames("en", { type: "language" }).of(tag) : undefined;
  } catch {
    return undefined;
  }
}

// Of two scripts on one page, also of different versions, the first one is used.
if (!customElements.get("askwell-ask")) customElements.define("askwell-ask", AskwellAsk);
