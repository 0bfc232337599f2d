// "As a pie chart", typed after an answer: no question of its own, but another look at what was answered.
import { t } from "../lib/text.js";
import { VIEWS } from "../texts/en.js";
import { toast, toastError } from "./notes.js";

/**
 * Show the last answer with rows as `words` say. False where they say no such thing, or no answer can be shown so.
 * @param {string} words @param {Element[]} cards
 */
export function shownOtherwise(words, cards) {
  const said = words.trim().toLowerCase().replace(/\s+/g, " ").replace(/[\s.!?]+$/, "");
  const view = Object.entries(VIEWS).find(([, phrases]) => phrases.includes(said))?.[0];
  if (view === undefined) return false;
  const name = view === "table" ? "table" : "chart";
  const tabs = cards.map((card) => /** @type {HTMLElement | null} */ (card.querySelector(`.answer [role="tab"][id$="-${name}"]`)));
  const at = tabs.findLastIndex((tab) => tab !== null);
  const tab = tabs[at];
  if (!tab) return false;
  tab.click();
  // Behind the tab, which loads it.
  if (view !== name) import("./chart.js").then(({ drawAs }) => drawAs(cards[at], said, view)).catch(toastError);
  tab.closest(".tabs-line")?.scrollIntoView({ block: "start", behavior: "smooth" });
  toast(t(`thread.as.${name}`));
  return true;
}
