// What could be asked of a project, before anything was: what the service recommends.
import { hasEnded } from "../lib/asking.js";
import { fill, h } from "../lib/dom.js";
import { pause } from "../lib/events.js";
import { t } from "../lib/text.js";

const MOST = 6;

/**
 * @param {Pick<import("../main.js").Context, "api" | "project" | "signal" | "storage">} context
 * @param {(question: string) => void} onAsk
 * @returns {HTMLElement} empty until something is found
 */
export function suggestions(context, onAsk) {
  const element = h("div", { class: "suggestions" });
  found(context).then(
    (questions) => {
      if (!questions.length) return;
      const buttons = questions.map((question) => h("button", { class: "chip", type: "button", onclick: () => onAsk(question) }, question));
      fill(element, h("p", { class: "small muted" }, t("suggestions")), h("div", { class: "row" }, buttons));
    },
    // Nothing is lost without them.
    () => {},
  );
  return element;
}

/** @param {Pick<import("../main.js").Context, "api" | "project" | "signal" | "storage">} context @returns {Promise<string[]>} */
async function found({ api, project, signal, storage }) {
  const key = `askwell.suggestions.${project}`;
  const kept = storage.getItem(key);
  if (kept) return JSON.parse(kept);
  const begun = await api.send("POST", "/v1/question-recommendations", { project_id: project, max_questions: 2, max_categories: 3 }, { signal });
  for (let tries = 0; tries < 40; tries += 1) {
    const now = await api.get(`/v1/question-recommendations/${begun.id}`, {}, signal);
    if (hasEnded(now.status)) {
      const questions = (now.response?.questions ?? []).map((/** @type {{question: string}} */ one) => one.question).slice(0, MOST);
      if (questions.length) storage.setItem(key, JSON.stringify(questions));
      return questions;
    }
    await pause(500, signal);
  }
  return [];
}
