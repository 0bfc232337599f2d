// Keys of people and programs. A key itself is told once, when it is made; here it stays in sight until it was taken.
import { newId } from "../../lib/asking.js";
import { fill, h, icon } from "../../lib/dom.js";
import { ago } from "../../lib/format.js";
import { askBeforeClosing, askBeforeLeaving } from "../../lib/leaving.js";
import { t } from "../../lib/text.js";
import { confirmed, dialog } from "../dialog.js";
import { beginning } from "../long-text.js";
import { attempt, copy, note } from "../notes.js";
import { field, sectionHead, working } from "./changes.js";
import { kept } from "./collection.js";

/** @typedef {{id: string, name: string, role: "ask" | "curate" | "admin", projects: string[] | null, attributes: Record<string, string>, created_at: string, expires_at: string | null, used_at: string | null, revoked_at: string | null}} Key */

/** @typedef {Key & {key: string}} Made */

/** Keys that were made and not taken yet, with who made them. In memory alone: nothing else may have them. @type {{of: string, made: Made}[]} */
const untaken = [];

const ROLES = /** @type {const} */ (["ask", "curate", "admin"]);
// Seconds for which the key before works too.
const GRACES = /** @type {const} */ ([[0, "now"], [3600, "hour"], [86_400, "day"], [604_800, "week"]]);

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const { api, signal } = context;
  const told = h("div", { class: "stack" });
  const textOf = (/** @type {Key} */ key) => [key.name, key.id, key.role, ...(key.projects ?? [])].join("\n");
  const all = kept(context, "keys", { load: () => api.get("/v1/keys", {}, signal), textOf, line, form, show });
  const owner = context.session.me?.name ?? "";

  /** Those that work come first, the latest of them at the top. @param {{keys: Key[]}} found */
  function show({ keys }) {
    return all.listed(keys.toReversed().sort((one, other) => Number(isOver(one)) - Number(isOver(other))));
  }

  /** @param {Key} key @returns {import("./collection.js").Line} */
  function line(key) {
    const projects = key.projects === null ? t("keys.every.project") : key.projects.length ? key.projects.join(", ") : t("keys.no.projects");
    const attributes = Object.entries(key.attributes).map(([name, value]) => h("span", { class: "chip" }, h("span", { class: "muted" }, name), beginning(value, 60)));
    const dates = [t("keys.made", { when: ago(key.created_at) }), used(key), key.expires_at && !isOver(key) && t("keys.until", { day: until(key.expires_at) })];
    return {
      name: key.name,
      main: [
        h("p", { class: "keep-title", dir: "auto" }, beginning(key.name, 200)),
        h("div", { class: "row" }, stateOf(key), h("span", { class: "badge", title: t(`keys.role.${key.role}`) }, key.role), h("span", { class: "small muted", dir: "auto" }, beginning(projects, 200)), attributes),
        h("p", { class: "small muted" }, h("code", null, key.id), " · ", dates.filter(Boolean).join(" · ")),
      ],
      actions: () => (key.revoked_at ? [] : [renewal(key)]),
      remove: key.revoked_at ? undefined : { question: t("keys.revoke.sure", { name: beginning(key.name) }), action: t("keys.revoke"), working: t("keys.revoking"), act: () => revoke(key) },
    };
  }

  /** @param {Key} key */
  function renewal(key) {
    const name = t("keep.of", { action: t("keys.rotate"), name: beginning(key.name) });
    return h("button", { class: "button is-small", type: "button", "aria-label": name, onclick: () => rotation(key) }, t("keys.rotate"));
  }

  /** @param {Key} key */
  async function revoke(key) {
    await api.send("DELETE", `/v1/keys/${encodeURIComponent(key.id)}`, undefined, { signal });
    await all.list.reload();
  }

  /** @param {Key} key */
  function rotation(key) {
    const wasOver = isOver(key);
    const grace = h("select", { class: "input" }, GRACES.map(([seconds, name]) => h("option", { value: seconds, selected: name === "hour" }, t(`grace.${name}`))));
    const day = dayField();
    const state = h("div");
    const button = h("button", { class: "button is-main", type: "button", onclick: rotated }, t("keys.rotate"));
    const expires = field(t("keys.expires"), day, t(wasOver ? "keys.expires.over" : key.expires_at ? "keys.expires.stays" : "keys.expires.hint"));
    // Of a key that is over nothing works meanwhile.
    const fields = [h("p", { class: "muted" }, t(wasOver ? "keys.rotate.over" : "keys.rotate.hint")), expires, !wasOver && field(t("keys.grace"), grace), state];
    const shown = dialog(t("keys.rotate.title", { name: beginning(key.name, 40) }), fields, [button]);
    function rotated() {
      day.setCustomValidity(wasOver && !day.value ? t("keys.expires.missing") : "");
      if (!day.reportValidity()) return;
      attempt(button, state, async () => {
        const said = { grace: wasOver ? 0 : Number(grace.value), expires_at: endOf(day.value) };
        tell(await api.send("POST", `/v1/keys/${encodeURIComponent(key.id)}/rotate`, said, { signal }));
        shown.close();
        all.list.reload();
      }, { working: working(t("keep.saving")) });
    }
  }

  function form() {
    const name = h("input", { class: "input", required: true, maxlength: 200, dir: "auto", autocomplete: "off" });
    const role = h("select", { class: "input" }, ROLES.map((one) => h("option", { value: one }, t(`keys.role.${one}`))));
    const projects = projectChoice(context);
    const day = dayField();
    const attributes = h("textarea", { class: "input code", rows: 3, spellcheck: "false" });
    const said = () => ({ name: name.value.trim(), role: role.value, projects: projects.read(), attributes: attributesIn(attributes.value), expires_at: endOf(day.value) });
    const fields = [field(t("keys.name"), name, t("keys.name.hint")), field(t("keys.role"), role), projects.element, field(t("keys.expires"), day, t("keys.expires.hint")), field(t("keys.attributes"), attributes, t("keys.attributes.hint"))];
    const act = async () => {
      tell(await api.send("POST", "/v1/keys", said(), { signal }));
      all.list.reload();
    };
    return { fields, action: t("keys.make"), act };
  }

  const own = () => untaken.filter((one) => one.of === owner);

  /** @param {Made} made */
  function tell(made) {
    untaken.push({ of: owner, made });
    askBeforeClosing(() => untaken.length > 0);
    shownOnce(made);
  }

  /** Show a key until whoever made it says that it was taken. @param {Made} made */
  function shownOnce(made) {
    const secret = h("code", { class: "secret", tabindex: "0", dir: "ltr" }, made.key);
    const copied = h("button", { class: "button is-main", type: "button", onclick: () => copy(made.key) }, icon("copy"), t("copy"));
    const card = h("section", { class: "card stack is-key", role: "status" }, h("h3", null, t("keys.made.title", { name: beginning(made.name) })), h("p", null, t("keys.made.hint")), secret, h("div", { class: "row" }, copied, h("button", { class: "button", type: "button", onclick: taken }, t("keys.taken"))));
    askBeforeLeaving(() => confirmed(t("keys.leave", { name: beginning(own()[0]?.made.name ?? "") }), t("keys.leave.go")));
    told.append(card);
    card.scrollIntoView({ block: "nearest" });
    copied.focus();
    function taken() {
      card.remove();
      untaken.splice(untaken.findIndex((one) => one.made === made), 1);
      if (!own().length) askBeforeLeaving(null);
    }
  }
  for (const one of own()) shownOnce(one.made);
  signal.addEventListener("abort", () => askBeforeLeaving(null));
  return h("div", { class: "stack" }, sectionHead("keys", all.add), told, all.place, all.list.element);
}

/** For the day until which a key works. */
function dayField() {
  return h("input", { class: "input", type: "date", min: new Date().toISOString().slice(0, 10) });
}

/** The last second of a day, as requests say it. @param {string} day "" for none */
function endOf(day) {
  return day ? new Date(`${day}T23:59:59`).toISOString() : undefined;
}

/** When a key is over: to the day, or to the minute where that is near. @param {string} moment */
function until(moment) {
  const isNear = Date.parse(moment) - Date.now() < 2 * 86_400_000;
  return new Date(moment).toLocaleString(undefined, isNear ? { dateStyle: "short", timeStyle: "short" } : { dateStyle: "short" });
}

/** When a key was used, which the service notes once an hour. @param {Key} key */
function used({ used_at: last }) {
  if (!last) return t("keys.unused");
  return Date.now() - Date.parse(last) < 3_600_000 ? t("keys.used.lately") : t("keys.used", { when: ago(last) });
}

/** @param {import("../../main.js").Context} context */
function projectChoice({ api, project, session, signal }) {
  const name = newId("projects");
  const all = h("input", { type: "radio", name, checked: true });
  const some = h("input", { type: "radio", name });
  const ids = h("input", { class: "input", value: project, dir: "auto", onchange: check });
  const unknown = h("div", { "aria-live": "polite" });
  const which = h("div", { hidden: true }, field(t("keys.projects"), ids, t("keys.projects.hint")), unknown);
  const changed = () => (which.hidden = all.checked);
  const element = h("fieldset", { class: "stack", onchange: changed }, h("legend", { class: "field-name" }, t("keys.for")), h("div", { class: "row" }, h("label", { class: "check" }, all, t("keys.all.projects")), h("label", { class: "check" }, some, t("keys.some.projects"))), which);
  const named = () => ids.value.split(",").map((/** @type {string} */ id) => id.trim()).filter(Boolean);
  const read = () => (all.checked ? undefined : named());

  /**
   * A key may be for a project that there is not yet; more often its name is written wrong. Whoever may use some projects
   * alone makes keys for these.
   */
  async function check() {
    try {
      const known = (await api.get("/v1/projects", {}, signal)).projects.map((/** @type {{id: string}} */ one) => one.id);
      const missing = named().filter((/** @type {string} */ id) => !known.includes(id));
      const own = session.me?.projects ?? null;
      const foreign = missing.filter((/** @type {string} */ id) => own !== null && !own.includes(id));
      const future = missing.filter((/** @type {string} */ id) => !foreign.includes(id));
      fill(
        unknown,
        foreign.length > 0 && note("warn", t("keys.projects.foreign", { names: foreign.join(", ") })),
        future.length > 0 && note("warn", t("keys.projects.unknown", { names: future.join(", ") })),
      );
    } catch {
      // The form works without it.
    }
  }
  return { element, read };
}

/** Lines of `name = value`; a Map first, as a name may be anything. @param {string} text */
function attributesIn(text) {
  const pairs = text.split("\n").map((line) => line.split(/=(.*)/s)).filter(([name]) => name.trim());
  return Object.fromEntries(new Map(pairs.map(([name, value = ""]) => [name.trim(), value.trim()])));
}

/** @param {Key} key */
function isOver({ revoked_at: revoked, expires_at: expires }) {
  return revoked !== null || (expires !== null && Date.parse(expires) < Date.now());
}

/** @param {Key} key */
function stateOf(key) {
  if (key.revoked_at) return h("span", { class: "badge is-bad" }, t("keys.revoked"));
  return isOver(key) ? h("span", { class: "badge is-warn" }, t("keys.expired")) : h("span", { class: "badge is-good" }, t("keys.works"));
}
