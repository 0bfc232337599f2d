// Asking: one box, and what was asked in it as a thread of answers. The address has the ids of the thread's questions,
// so that it can be sent, reloaded, and gone back to.
import { fill, h, icon, numbered } from "../lib/dom.js";
import { ServiceError } from "../lib/errors.js";
import { keepsClear } from "../lib/sight.js";
import { t } from "../lib/text.js";
import { failure, progress } from "../parts/notes.js";
import { shownOtherwise } from "../parts/other-view.js";
import { DRAFT, questionBox } from "../parts/question-box.js";
import { suggestions } from "../parts/suggestions.js";

// So many characters of a question go along with the address of its answer.
const WORDS = 500;
// More than these do not fit into an address; those before stay in the history.
const MOST = 20;

/** @typedef {import("../parts/ask-card.js").AskCard} AskCard */
/** @type {typeof import("../parts/ask-card.js") | null} what questions and answers are shown with: more than all else, so it comes after the box */
let loaded = null;

function cardModule() {
  if (loaded === null) throw new Error("nothing to show questions with yet");
  return loaded;
}

/** @param {import("../main.js").Context} context */
export function view(context) {
  const thread = h("div", { class: "thread", role: "group", "aria-label": t("thread") });
  const box = questionBox({ onAsk: ask, onStop: () => cards.at(-1)?.stop(), storage: context.storage });
  const fresh = h("a", { class: "button is-small", href: context.address("ask") }, icon("plus"), t("thread.new"));
  const end = h("div", { class: "asking" }, box.element);
  const start = h("div", { class: "start" }, h("h1", null, t("start.title")), h("p", { class: "muted" }, t("start.hint")));
  const title = h("h1", { class: "for-readers" }, t("thread"));
  const coming = h("div");
  const element = h("div", { class: "ask-view" }, start, title, thread, coming, end);
  const offered = suggestions(context, ask);
  /** @type {AskCard[]} */
  let cards = [];
  /** How often a thread was to be shown. */
  let moves = 0;

  const events = {
    /** @param {AskCard} card */
    onChange: (card) => {
      if (card === cards.at(-1)) box.working(card.isWorking);
      named();
    },
    /** @param {string} question @param {Record<string, unknown>} [more] */
    onAsk: (question, more) => ask(question, more),
    /** @param {AskCard} card */
    onEnd: (card) => {
      named();
      // It has grown: what was at the end of the page is shown from its beginning, where nobody has looked away.
      const { top } = card.element.getBoundingClientRect();
      if (card === cards.at(-1) && cards.length > 1 && top > 0 && top < innerHeight) requestAnimationFrame(() => reveal(card));
    },
    /** @param {AskCard} card */
    address: (card) => context.address("ask", idsTo(card), wordsFor(card.question)),
  };

  /** The ids of the thread as far as a card, as addresses have them. @param {AskCard} [card] */
  function idsTo(card) {
    const upTo = card ? cards.slice(0, cards.indexOf(card) + 1) : cards;
    return upTo.map((one) => one.id).filter(Boolean).join(".");
  }

  /** @param {AskCard} card */
  function reveal(card) {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    card.element.scrollIntoView({ block: "start", behavior: isStill ? "auto" : "smooth" });
  }

  context.onMoved(show);
  keepsClear(end, context.signal);
  context.signal.addEventListener("abort", () => cards.forEach((card) => card.leave()));
  show(context.rest);
  // By the time that somebody has typed a question it is there; the box comes first. Safari knows no idle time.
  (globalThis.requestIdleCallback ?? setTimeout)(() => import("../parts/ask-card.js").then((module) => (loaded = module), () => {}));

  /** Do something that needs what questions and answers are shown with: at once where that is there. @param {() => void} act */
  async function withCards(act) {
    if (loaded) return act();
    fill(coming, progress());
    arrange();
    try {
      loaded = await import("../parts/ask-card.js");
    } catch (error) {
      // What a module cannot be loaded for is the way to the service. What was asked stands in the box after that.
      const why = error instanceof TypeError ? new ServiceError(0, {}) : error;
      fill(coming, failure(why, () => location.reload()));
      return;
    }
    fill(coming);
    if (!context.signal.aborted) act();
  }

  /** The thread that the address names; what is shown of it already stays. @param {string[]} rest */
  function show(rest) {
    const ids = (rest[0] ?? "").split(".").filter((id) => /^[\w-]{1,64}$/.test(id)).slice(-MOST);
    if (ids.length > 0 && ids.join() === cards.map((card) => card.id).join()) return;
    const move = (moves += 1);
    fill(coming);
    if (ids.length > 0) withCards(() => move === moves && put(ids, (rest[1] ?? "").slice(0, 2 * WORDS)));
    else put([]);
  }

  /** @param {string[]} ids @param {string} [words] of the last question, as a link tells them */
  function put(ids, words = "") {
    const kept = new Map(cards.filter((card) => card.id).map((card) => [card.id, card]));
    for (const card of cards) if (!ids.includes(card.id)) card.leave();
    cards = ids.map((id, at) => {
      const isLast = at === ids.length - 1;
      return kept.get(id) ?? cardModule().AskCard.load(context, id, events, isLast, isLast ? words : "");
    });
    cards.at(-1)?.say();
    fill(thread, cards.map((card) => card.element));
    arrange();
    cards.at(-1)?.element.scrollIntoView({ block: "start" });
  }

  /** @param {string} question @param {Record<string, unknown>} [more] what else the request says */
  function ask(question, more = {}) {
    if (shownOtherwise(question, cards.map((card) => card.element))) return;
    // Until the service has it: whoever has to sign in first finds it in the box.
    context.storage.setItem(DRAFT, question);
    withCards(() => begin(question, more));
  }

  /** @param {string} question @param {Record<string, unknown>} more */
  function begin(question, more) {
    // Of a question that a link told, only the words are here: its answer takes their place.
    for (const card of cards) if (card.isOnlyWords) card.element.remove();
    cards = cards.filter((card) => !card.isOnlyWords);
    const histories = cards.map((card) => card.turn).filter((turn) => turn !== null);
    const card = cardModule().AskCard.ask(context, question, histories, more, { ...events, onAccepted });
    cards = [...cards, card].slice(-MOST);
    thread.append(card.element);
    arrange();
    reveal(card);
  }

  /** The last question says what is shown. */
  function named() {
    context.title(cards.at(-1)?.question || t("place.ask"));
  }

  /** @param {AskCard} card */
  function onAccepted(card) {
    if (context.storage.getItem(DRAFT) === card.question) context.storage.setItem(DRAFT, "");
    const address = context.address("ask", idsTo());
    if (cards.length > 1) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  /** With nothing asked yet the box stands in the middle, with what could be asked. */
  function arrange() {
    const isEmpty = cards.length === 0 && !coming.hasChildNodes();
    numbered(cards.map((card) => card.element));
    element.classList.toggle("is-empty", isEmpty);
    start.hidden = !isEmpty;
    title.hidden = isEmpty;
    fill(end, box.element, isEmpty ? offered : fresh);
    box.placeholder(t(isEmpty ? "question.placeholder" : "question.follow"));
    box.working(cards.at(-1)?.isWorking ?? false);
    named();
    box.focus();
  }
  return element;
}

/** A question's words for its address: whoever may not see the answer can ask it too. @param {string} question */
function wordsFor(question) {
  const letters = [...question];
  const words = letters.length > WORDS ? `${letters.slice(0, WORDS - 1).join("")}…` : question;
  // Half a letter has no place in an address.
  return words.replace(/\p{Surrogate}/gu, "\ufffd");
}
