// What a site is told of the questions on an element: events, that also leave the shadow roots which the element is in.
import { ServiceError } from "../../lib/errors.js";
import { t } from "../../lib/text.js";
import { told } from "../notes.js";

/** @typedef {import("../ask-card.js").AskCard} AskCard */

/**
 * Tell of a question.
 * @param {HTMLElement} element @param {"asked" | "clarify" | "stopped" | "answer" | "error"} what
 * @param {AskCard} [card] @param {Record<string, unknown>} [more]
 */
export function tell(element, what, card, more) {
  const detail = { query_id: card?.id || null, question: card?.question ?? null, ...more };
  element.dispatchEvent(new CustomEvent(`askwell-${what}`, { detail, bubbles: true, composed: true }));
}

/** @param {HTMLElement} element @param {AskCard} card */
export function tellEnd(element, card) {
  const { status = "", error = {}, ...result } = card.result ?? {};
  if (status === "stopped") tell(element, "stopped", card);
  else if (status === "finished") tell(element, "answer", card, { result: structuredClone({ status, ...result }), text: card.text });
  else if (status === "failed") tell(element, "error", card, { status: 200, code: error.code ?? "", message: error.message ?? "", hint: error.hint ?? "" });
}

/** @param {HTMLElement} element @param {unknown} error @param {AskCard} [card] */
export function tellFailure(element, error, card) {
  const { text, more } = told(error);
  const { status = 0, code = "", body = {} } = error instanceof ServiceError ? error : {};
  const { message = text, hint = more } = body.site ?? {};
  tell(element, "error", card, { status, code, message, hint });
}

let isHinted = false;

/** People who may not ask are told no more than that; what a site has to do about it is for whoever makes it. @param {ServiceError} error */
export function said(error) {
  if (!error.isUnknownCaller) return error;
  const site = { message: `${error.message} ${t("embed.unknown.hint")}`, hint: error.hint };
  if (!isHinted) console.warn(`${site.message} ${site.hint}`);
  isHinted = true;
  return new ServiceError(error.status, { ...error.body, message: t("embed.unknown"), hint: "", site });
}
