// Questions of before, as lines of a list.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { sourceBadge, sureness } from "./answer.js";
import { beginning } from "./long-text.js";

/**
 * @param {import("../main.js").Context} context
 * @param {Record<string, any>} one
 * @param {{when: string, more?: import("../lib/dom.js").Child[], isSaid?: boolean, before?: string[]}} given `before` are the ids of the questions that it follows on, where they are known; `when` is how its moment is told, `more` stands at the end of the line; `isSaid` where something else says already how it ended
 */
export function pastAsk(context, one, { when, more = [], isSaid = false, before = [] }) {
  const words = beginning(one.query, 200);
  const address = context.address("ask", [...before, one.query_id].join("."));
  // What somebody else asked cannot be opened.
  const link = one.is_own === false ? h("strong", { dir: "auto", title: t("past.others") }, words) : h("a", { class: "list-link", href: address, dir: "auto" }, words);
  const time = h("time", { class: "small muted past-time", datetime: one.created_at, title: new Date(one.created_at).toLocaleString() }, when);
  return h("li", null, h("div", { class: "list-main" }, link, follows(one), reason(one), remark(one)), h("div", { class: "row past-facts" }, !isSaid && said(one), (!isSaid || one.status === "finished") && state(one)), time, more);
}

/** The question that it follows on. @param {Record<string, any>} one */
function follows(one) {
  if (!one.follows) return null;
  return h("p", { class: "small muted past-follows" }, t("past.follows"), " ", h("bdi", null, beginning(one.follows, 120)));
}

/** Why it failed, and what may be done. @param {Record<string, any>} one */
function reason(one) {
  if (one.status !== "failed" || !one.error?.message) return null;
  return h("p", { class: "small muted", dir: "auto" }, beginning(one.error.message, 300));
}

/** What somebody said of the answer. @param {Record<string, any>} one */
function remark(one) {
  return one.feedback?.comment ? h("p", { class: "small muted", dir: "auto" }, "“", beginning(one.feedback.comment, 300), "”") : null;
}

/** @param {Record<string, any>} one */
function said({ feedback }) {
  if (!feedback) return null;
  const name = feedback.positive ? "right" : "wrong";
  return h("span", { class: `badge ${feedback.positive ? "is-good" : "is-warn"}` }, icon(feedback.positive ? "up" : "down"), t(`said.${name}`));
}

/** @param {Record<string, any>} one */
function state(one) {
  if (one.status === "finished") return one.type === "GENERAL" ? h("span", { class: "badge" }, t("past.words")) : [sourceBadge(one), sureness(one)];
  // That the data does not have it, or that it is not clear, is an answer; what broke is an alarm.
  if (one.status === "failed") return h("span", { class: `badge ${one.error?.code === "OTHERS" ? "is-bad" : ""}` }, t(one.error && one.error.code !== "OTHERS" ? "unanswered" : "state.failed"));
  if (one.status === "stopped") return h("span", { class: "badge" }, t("state.stopped"));
  if (one.status === "awaiting_correction") return h("span", { class: "badge is-warn" }, t("past.asks.back"));
  return h("span", { class: "badge is-accent" }, t("state.running"));
}
