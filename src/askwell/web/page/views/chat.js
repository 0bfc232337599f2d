// The conversation with the agent: threads beside the messages of one. The address has the thread.
import { fill, h, icon, useStyle } from "../lib/dom.js";
import { keepsClear } from "../lib/sight.js";
import { t } from "../lib/text.js";
import { Conversation } from "../parts/chat/conversation.js";
import { threadList } from "../parts/chat/threads.js";
import { questionBox } from "../parts/question-box.js";
import { suggestions } from "../parts/suggestions.js";

/** @param {import("../main.js").Context} context */
export function view(context) {
  const heard = {
    onWorking: (/** @type {boolean} */ isWorking) => box.working(isWorking),
    onBegun: begun,
    onEnded: () => threads.reload(),
    onKept: (/** @type {string} */ message) => box.put(message),
  };
  const conversation = new Conversation(context, heard);
  const box = questionBox({ onAsk: say, onStop: () => conversation.stop(), storage: context.storage, draft: "askwell.message", name: t("chat.message"), placeholder: t("chat.placeholder") });
  const threads = threadList(context, { onDeleted: (id) => id === conversation.threadId && context.go("chat") });
  const fresh = h("a", { class: "button", href: context.address("chat") }, icon("plus"), t("chat.new"));
  const opener = h("button", { class: "button is-small chat-opener", type: "button", "aria-expanded": "false", onclick: () => unfold() }, icon("chat"), t("chat.threads"));
  const side = h("nav", { class: "chat-side", "aria-label": t("chat.threads") }, fresh, threads.element);
  const start = h("div", { class: "start" }, h("h1", null, t("chat.start")), h("p", { class: "muted" }, t("chat.hint")));
  const offered = suggestions(context, say);
  const below = h("div", { class: "chat-below" }, agents(context, (id) => (conversation.agentId = id)), offered);
  const end = h("div", { class: "asking" }, box.element, below);
  keepsClear(end, context.signal);
  const title = h("h1", { class: "for-readers" }, t("place.chat"));
  const main = h("div", { class: "ask-view chat-main" }, opener, start, title, conversation.element, end);
  const element = h("div", { class: "chat-view", hidden: true }, side, main);
  useStyle("chat.css").then(() => {
    element.hidden = false;
    box.focus();
  });

  context.onMoved(([threadId = ""]) => show(threadId));
  document.addEventListener("visibilitychange", caughtUp, { signal: context.signal });
  show(context.rest[0] ?? "");

  /** @param {string} threadId */
  function show(threadId) {
    unfold(false);
    if (threadId && threadId === conversation.threadId) return;
    conversation.open(threadId);
    arrange(threadId);
  }

  /** @param {string} threadId */
  function arrange(threadId) {
    main.classList.toggle("is-empty", !threadId);
    start.hidden = threadId !== "";
    title.hidden = threadId === "";
    below.hidden = threadId !== "";
    threads.mark(threadId);
    box.focus();
  }

  /** @param {string} message */
  function say(message) {
    // Until the service has named the thread, the address stays.
    arrange(conversation.threadId || "new");
    conversation.send(message);
  }

  /** @param {string} threadId */
  function begun(threadId) {
    history.replaceState(null, "", context.address("chat", threadId));
    threads.mark(threadId);
    threads.reload();
  }

  /** What another tab has said in this thread meanwhile. */
  async function caughtUp() {
    const { threadId } = conversation;
    if (document.hidden || !threadId || conversation.isWorking) return;
    const before = threads.changed(threadId);
    await threads.reload();
    if (before && threads.changed(threadId) !== before && !conversation.isWorking) conversation.open(threadId);
  }

  /** @param {boolean} [isOpen] whether the threads are shown where there is no room for them beside the messages */
  function unfold(isOpen = !side.classList.contains("is-open")) {
    side.classList.toggle("is-open", isOpen);
    opener.setAttribute("aria-expanded", String(isOpen));
  }
  return element;
}

/**
 * A choice of the agent that a new thread is held with, where there are several.
 * @param {import("../main.js").Context} context @param {(id: string) => void} onChosen
 */
function agents({ api, project, signal }, onChosen) {
  const select = h("select", { class: "input", onchange: () => onChosen(select.value) });
  const label = h("label", { class: "chat-agent small", hidden: true }, h("span", null, t("chat.agent")), select);
  api.get("/v1/agents", { project_id: project }, signal).then(
    (found) => {
      fill(select, found.agents.map((/** @type {{id: string, name: string}} */ one) => h("option", { value: one.id, selected: one.id === "default" }, one.name || one.id)));
      label.hidden = found.agents.length < 2;
    },
    // The default agent answers.
    () => {},
  );
  return label;
}
