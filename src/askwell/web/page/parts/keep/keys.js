// Keys of people and programs. A key itself is told once, when it is made; here it stays in sight until it was taken.
import { fill, h, icon } from "../../lib/dom.js";
import { ago } from "../../lib/format.js";
import { t } from "../../lib/text.js";
import { dialog } from "../dialog.js";
import { beginning } from "../long-text.js";
import { copy, failure, loading, note } from "../notes.js";
import { acting, editor, field, newId, opener, working } from "./changes.js";
import { collection, entry } from "./collection.js";
import { sectionHead } from "./section-head.js";

/** @typedef {{id: string, name: string, role: "ask" | "curate" | "admin", projects: string[] | null, attributes: Record<string, string>, created_at: string, expires_at: string | null, used_at: string | null, revoked_at: string | null}} Key */

const ROLES = /** @type {const} */ (["ask", "curate", "admin"]);
// Seconds for which the key before works too.
const GRACES = /** @type {const} */ ([[0, "now"], [3600, "hour"], [86_400, "day"], [604_800, "week"]]);

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const { api, signal } = context;
  const search = { words: "" };
  const place = h("div");
  const told = h("div", { class: "stack" });
  const list = loading(() => api.get("/v1/keys", {}, signal), show);
  const add = opener(place, t("keys.add"), form);

  /** @param {{keys: Key[]}} found */
  function show({ keys }) {
    if (!keys.length) return h("p", { class: "empty" }, t("keys.empty"));
    // Those that work come first, the latest of them at the top.
    const items = [...keys].reverse().sort((one, other) => Number(isOver(one)) - Number(isOver(other)));
    const textOf = (/** @type {Key} */ key) => [key.name, key.id, key.role, ...(key.projects ?? [])].join("\n");
    return collection({ items, textOf, line, count: (count) => t("keys.count", { count }), search: t("keys.search"), state: search });
  }

  /** @param {Key} key */
  function line(key) {
    const projects = key.projects === null ? t("keys.every.project") : key.projects.length ? key.projects.join(", ") : t("keys.no.projects");
    const attributes = Object.entries(key.attributes).map(([name, value]) => h("span", { class: "chip" }, h("span", { class: "muted" }, name), beginning(value, 60)));
    const dates = [t("keys.made", { when: ago(key.created_at) }), key.used_at ? t("keys.used", { when: ago(key.used_at) }) : t("keys.unused"), key.expires_at && !isOver(key) && t("keys.until", { day: new Date(key.expires_at).toLocaleDateString() })];
    return entry({
      id: key.id,
      name: key.name,
      main: [
        h("p", { class: "keep-title", dir: "auto" }, beginning(key.name, 200)),
        h("div", { class: "row" }, stateOf(key), h("span", { class: "badge" }, t(`keys.role.${key.role}`)), h("span", { class: "small muted", dir: "auto" }, beginning(projects, 200)), attributes),
        h("p", { class: "small muted" }, h("code", null, key.id), " · ", dates.filter(Boolean).join(" · ")),
      ],
      actions: (where) => (key.revoked_at ? [] : actions(key, where)),
    });
  }

  /** @param {Key} key @param {HTMLElement} where */
  function actions(key, where) {
    const named = (/** @type {string} */ action) => t("keep.of", { action, name: beginning(key.name) });
    const rotate = h("button", { class: "button is-small", type: "button", "aria-label": named(t("keys.rotate")), onclick: () => rotation(key) }, t("keys.rotate"));
    const revoke = acting({
      label: [t("keys.revoke")],
      name: named(t("keys.revoke")),
      style: "is-small is-danger",
      working: t("keys.revoking"),
      place: where,
      act: async () => {
        await api.send("DELETE", `/v1/keys/${encodeURIComponent(key.id)}`, undefined, { signal });
        await list.reload();
      },
      sure: { question: t("keys.revoke.sure", { name: beginning(key.name) }), action: t("keys.revoke") },
    });
    return [rotate, revoke];
  }

  /** @param {Key} key */
  function rotation(key) {
    const grace = h("select", { class: "input" }, GRACES.map(([seconds, name]) => h("option", { value: seconds, selected: name === "hour" }, t(`grace.${name}`))));
    const state = h("div");
    const button = h("button", { class: "button is-main", type: "button", onclick: rotated }, t("keys.rotate"));
    const shown = dialog(t("keys.rotate.title", { name: beginning(key.name, 40) }), [h("p", { class: "muted" }, t("keys.rotate.hint")), field(t("keys.grace"), grace), state], [button]);
    async function rotated() {
      button.disabled = true;
      fill(state, working(t("keep.saving")));
      try {
        tell(await api.send("POST", `/v1/keys/${encodeURIComponent(key.id)}/rotate`, { grace: Number(grace.value) }, { signal }));
        shown.close();
        list.reload();
      } catch (error) {
        fill(state, failure(error));
        button.disabled = false;
      }
    }
  }

  /** @param {() => void} close */
  function form(close) {
    const name = h("input", { class: "input", required: true, maxlength: 200, dir: "auto", autocomplete: "off" });
    const role = h("select", { class: "input" }, ROLES.map((one) => h("option", { value: one }, t(`keys.role.${one}`))));
    const projects = projectChoice(context);
    const until = h("input", { class: "input", type: "date", min: new Date().toISOString().slice(0, 10) });
    const attributes = h("textarea", { class: "input code", rows: 3, spellcheck: "false" });
    const said = () => ({ name: name.value.trim(), role: role.value, projects: projects.read(), attributes: attributesIn(attributes.value), expires_at: until.value ? new Date(`${until.value}T23:59:59`).toISOString() : undefined });
    return editor({
      title: t("keys.add"),
      fields: [field(t("keys.name"), name, t("keys.name.hint")), field(t("keys.role"), role), projects.element, field(t("keys.expires"), until, t("keys.expires.hint")), field(t("keys.attributes"), attributes, t("keys.attributes.hint"))],
      action: t("keys.make"),
      act: async () => {
        tell(await api.send("POST", "/v1/keys", said(), { signal }));
        list.reload();
      },
      onClose: close,
    });
  }

  /** Show a key until whoever made it says that it was taken. @param {Key & {key: string}} made */
  function tell(made) {
    const secret = h("code", { class: "secret", tabindex: "0", dir: "ltr" }, made.key);
    const copied = h("button", { class: "button is-main", type: "button", onclick: () => copy(made.key) }, icon("copy"), t("copy"));
    const taken = h("button", { class: "button", type: "button", onclick: () => card.remove() }, t("keys.taken"));
    const card = h("section", { class: "card stack is-key", role: "status" }, h("h3", null, t("keys.made.title", { name: beginning(made.name) })), h("p", null, t("keys.made.hint")), secret, h("div", { class: "row" }, copied, taken));
    told.append(card);
    card.scrollIntoView({ block: "nearest" });
    copied.focus();
  }
  return h("div", { class: "stack" }, sectionHead("keys", add), told, place, list.element);
}

/** @param {import("../../main.js").Context} context */
function projectChoice({ api, project, signal }) {
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

  /** A key may be for a project that there is not yet; more often its name is written wrong. */
  async function check() {
    try {
      const known = (await api.get("/v1/projects", {}, signal)).projects.map((/** @type {{id: string}} */ one) => one.id);
      const missing = named().filter((/** @type {string} */ id) => !known.includes(id));
      fill(unknown, missing.length > 0 && note("warn", t("keys.projects.unknown", { names: missing.join(", ") })));
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
