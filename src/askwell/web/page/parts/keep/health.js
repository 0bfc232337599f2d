// Whether the service is well: each thing that it depends on, and what that reports.
import { h, icon } from "../../lib/dom.js";
import { ServiceError } from "../../lib/errors.js";
import { every } from "../../lib/events.js";
import { t } from "../../lib/text.js";
import { loading, note } from "../notes.js";
import { sectionHead } from "./changes.js";

// How often it is looked at, in milliseconds.
const LOOKS = 15_000;

/** @typedef {{ok: boolean, message: string, set_up?: boolean}} Check */

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const list = loading(() => ready(context), show);
  const again = h("button", { class: "button", type: "button", onclick: list.reload }, t("health.again"));
  every(LOOKS, context.signal, list.reload);

  /** @param {{isReady: boolean, message: string, checks: [string, Check][]}} found */
  function show({ isReady, message, checks }) {
    const head = isReady ? note("good", t("health.good")) : note("bad", message);
    const order = [...checks].sort(([, one], [, other]) => rank(one) - rank(other));
    const named = new Set(checks.map(([name]) => name.split(".")).filter(([, ...of]) => of.length).map(([kind]) => kind));
    const items = order.map(([name, check]) => h("li", null, stateOf(name, check), h("div", { class: "list-main" }, h("strong", null, label(name, named)), h("p", { class: "small muted", dir: "auto" }, isAbsent(check) ? brings(name) : check.message))));
    const looked = t("health.looked", { time: new Date().toLocaleTimeString() });
    return [head, items.length > 0 && h("ul", { class: "list card is-bare health" }, items), h("p", { class: "small muted" }, `${t("health.version", { version: context.session.settings.version })} ${looked}`)];
  }
  return h("div", { class: "stack" }, sectionHead("health", again), list.element);
}

/** The answer says which dependency is down also where it is an error. @param {import("../../main.js").Context} context */
async function ready({ api, signal }) {
  try {
    const found = await api.get("/v1/health/ready", {}, signal);
    return { isReady: true, message: "", checks: /** @type {[string, any][]} */ (Object.entries(found.checks)) };
  } catch (error) {
    if (!(error instanceof ServiceError && error.body.checks)) throw error;
    return { isReady: false, message: error.message, checks: /** @type {[string, any][]} */ (Object.entries(error.body.checks)) };
  }
}

/** What does not work comes first, what is not there last. @param {Check} check */
function rank(check) {
  if (isAbsent(check)) return 2;
  return check.ok ? 1 : 0;
}

/** Whether nobody has set it up, which is no fault. @param {Check} check */
function isAbsent(check) {
  return check.ok && check.set_up === false;
}

/** @param {string} name @param {Check} check */
function stateOf(name, check) {
  if (isAbsent(check)) return h("span", { class: "badge" }, t(name === "semantic_models" ? "health.absent.semantic_models" : "health.absent"));
  return h("span", { class: `badge ${check.ok ? "is-good" : "is-bad"}` }, icon(check.ok ? "check" : "warning"), t(check.ok ? "health.works" : "health.down"));
}

/** What it would be good for. @param {string} name */
function brings(name) {
  return t(/** @type {any} */ (["embedder", "semantic_models", "language_model"].includes(name) ? `health.brings.${name}` : "health.brings"));
}

/**
 * `data_source.sales` reads better as “Data source: sales”. What stands beside those that are named is of the projects of others.
 * @param {string} name
 * @param {Set<string>} named kinds of which some have a name
 */
function label(name, named) {
  if (name === "data_source" && named.has(name)) return t("health.others.data_source");
  const [kind, ...of] = name.split(".");
  const words = [kind.replaceAll("_", " "), ...(of.length ? [of.join(".")] : [])].join(": ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
