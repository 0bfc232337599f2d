// The model as a whole: how large it is, when it was prepared, and what joins its tables.
import { h } from "../../lib/dom.js";
import { ago } from "../../lib/format.js";
import { t } from "../../lib/text.js";
import { note } from "../notes.js";
import { joinsPanel } from "./joins.js";
import { removal, uploadForm } from "./upload.js";
import { kindCounts } from "./words.js";

const WARNINGS = 20;

/** @param {import("../../main.js").Context} context @param {import("./data.js").Model} model @returns {HTMLElement} */
export function overview(context, model) {
  const { facts } = model;
  const columns = facts.tables.reduce((sum, table) => sum + table.columns.length, 0);
  const numbers = [kindCounts(facts.tables).join(", "), t("model.columns", { count: columns }), t("model.joins.count", { count: model.joins.length })];
  const prepared = facts.prepared_at && h("span", { class: "badge", title: new Date(facts.prepared_at).toLocaleString() }, t("model.prepared", { when: ago(facts.prepared_at) }));
  const head = h("header", { class: "page-head" }, h("h1", { tabindex: "-1" }, t("place.model")), h("p", null, t("model.hint")));
  const badges = h("div", { class: "row" }, numbers.map((text) => h("span", { class: "badge" }, text)), h("span", { class: "badge" }, facts.dialect), prepared);
  const own = uploadForm(context);
  const more = own && h("details", { class: "card" }, h("summary", null, t("model.upload.more")), own);
  return h("div", { class: "stack" }, head, badges, warnings(facts.warnings), joinsPanel(context, model, ""), more, removal(context));
}

/** @param {string[]} all */
function warnings(all) {
  if (!all.length) return null;
  const items = all.slice(0, WARNINGS).map((text) => note("warn", text));
  const rest = all.length > WARNINGS && h("p", { class: "muted small" }, t("model.warnings.more", { count: all.length - WARNINGS }));
  return h("details", { class: "model-warnings" }, h("summary", null, t("model.warnings", { count: all.length })), h("div", { class: "stack" }, items, rest));
}
