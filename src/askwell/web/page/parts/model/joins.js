// What joins tables: as a list, and drawn above it.
import { fill, h, icon } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { longList } from "../long-list.js";
import { shownName } from "./data.js";
import { graph } from "./graph.js";
import { cardinality, pairsText } from "./words.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("./data.js").Join} Join */

// More boxes than these are no picture any more.
const MOST = 60;
// Where there is no room to read a picture, it is shown when somebody asks for it.
const NARROW = "(max-width: 600px)";
const STEPS = [1, 2, 3];
const FARTHEST = 10;
const PAGE = 100;

/**
 * The joins of one table, or of the whole model.
 * @param {import("../../main.js").Context} context @param {Model} model @param {string} chosen "" for all
 */
export function joinsPanel(context, model, chosen) {
  const joins = chosen ? model.joinsFrom(chosen) : model.joins;
  if (!joins.length) return h("p", { class: "empty" }, t(chosen ? "model.joins.none" : "model.joins.none.at.all"));
  const middle = chosen || model.mostJoined;
  const joined = model.tables.filter((table) => model.joinsOf.get(table.name)?.length);
  const place = h("div", { class: "stack" });
  const few = h("span", { class: "small muted", role: "status" });
  const far = h("select", { class: "input", "aria-label": t("model.far"), onchange: () => draw(Number(far.value)) }, STEPS.map((step) => h("option", { value: step }, t("model.steps", { count: step }))));

  /** @param {number} steps */
  function draw(steps) {
    const isWhole = !chosen && joined.length <= MOST;
    const all = isWhole ? joined.map((table) => table.name) : model.around(middle, chosen ? steps : FARTHEST);
    const names = all.slice(0, MOST);
    const count = chosen ? all.length : joined.length;
    const free = chosen ? 0 : model.tables.length - joined.length;
    const cut = names.length < count && t("model.graph.few", { shown: names.length, all: count, table: nameOf(model, middle) });
    fill(few, [cut, free > 0 && t("model.graph.free", { count: free })].filter(Boolean).join(" "));
    fill(place, graph({ model, names, chosen, middle, onChoose: (name) => context.go("model", name), signal: context.signal }));
  }
  const hasMore = chosen && model.around(chosen, 2).length > model.around(chosen, 1).length;
  const tools = h("div", { class: "row joins-tools" }, hasMore && far, few);
  const list = joinList(context, model, joins, chosen);
  const panel = h("div", { class: "stack" });

  /** @param {import("../../lib/dom.js").Child} below */
  function withPicture(below) {
    draw(STEPS[0]);
    fill(panel, tools, place, below);
  }
  if (matchMedia(NARROW).matches) {
    const show = h("button", { class: "button", type: "button", onclick: () => withPicture(list) }, icon("model"), t("model.graph.show"));
    fill(panel, h("div", { class: "row" }, show), list);
  } else {
    // The picture says the same.
    withPicture(h("details", { class: "joins-all" }, h("summary", null, t("model.joins.list", { count: joins.length })), list));
  }
  return panel;
}

/** @param {import("../../main.js").Context} context @param {Model} model @param {Join[]} joins @param {string} chosen */
function joinList(context, model, joins, chosen) {
  const items = h("ul", { class: "list card is-bare joins-list", "aria-label": t("model.joins") });
  const { more, show } = longList(items, (/** @type {Join} */ join) => joinItem(context, model, join, chosen), PAGE);
  show(joins);
  return h("div", { class: "stack" }, items, more);
}

/** @param {import("../../main.js").Context} context @param {Model} model @param {Join} join @param {string} chosen */
function joinItem(context, model, join, chosen) {
  const link = (/** @type {string} */ name) => h("a", { class: "list-link", href: context.address("model", name), dir: "auto" }, nameOf(model, name));
  const own = join.left === chosen ? null : [link(join.left), " "];
  const pairs = h("code", { class: "joins-pairs", dir: "ltr" }, pairsText(join));
  const guessed = join.is_inferred && h("span", { class: "badge is-warn", title: t("model.inferred.hint") }, t("model.inferred"));
  return h("li", null, h("span", { class: "list-main" }, own, "→ ", link(join.right)), h("span", { class: "row joins-kind" }, guessed, h("span", { class: "badge" }, cardinality(join))), pairs);
}

/** @param {Model} model @param {string} name */
function nameOf(model, name) {
  const table = model.byName.get(name);
  return table ? shownName(table) : name;
}
