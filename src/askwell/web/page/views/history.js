// What was asked in a project before, by day: searched, filtered, opened again. What is searched for stands in the address,
// and so does how much is shown, so that going back from an answer leads to the same list.
import { fill, h } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { attempt, loading } from "../parts/notes.js";
import { pastAsk } from "../parts/past-ask.js";

const PAGE = 50;
const MOST = 1000;
// More than these are not opened with a question.
const MOST_BEFORE = 8;
// What the list may be cut down to: how questions ended, and what was said of their answers.
/** @type {Record<string, {name: Parameters<typeof t>[0], query: Record<string, string>}>} */
const STATES = {
  "": { name: "state.any", query: {} },
  finished: { name: "state.finished", query: { status: "finished" } },
  failed: { name: "state.failed", query: { status: "failed" } },
  stopped: { name: "state.stopped", query: { status: "stopped" } },
  right: { name: "said.right", query: { feedback: "positive" } },
  wrong: { name: "said.wrong", query: { feedback: "negative" } },
};

/** @param {import("../main.js").Context} context @returns {HTMLElement} */
export function view(context) {
  const search = h("input", { class: "input", type: "search", maxlength: 1000, placeholder: t("history.search"), "aria-label": t("history.search") });
  const state = h("select", { class: "input", "aria-label": t("history.state") }, Object.entries(STATES).map(([value, { name }]) => h("option", { value }, t(name))));
  const goesBack = h("span");
  // It stays, as readers say what changes in a place that they know.
  const status = h("p", { role: "status" });
  let wanted = PAGE;
  read(context.rest);
  const list = loading(load, show);
  let wait = 0;

  search.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(changed, 250);
  });
  state.addEventListener("change", changed);
  context.signal.addEventListener("abort", () => clearTimeout(wait));
  context.onMoved((rest) => (read(rest), list.reload()));
  tellHowFar();

  /** @param {string[]} rest what the address says */
  function read(rest) {
    const said = new URLSearchParams(rest[0] ?? "");
    search.value = said.get("q") ?? "";
    state.value = Object.hasOwn(STATES, said.get("status") ?? "") ? said.get("status") : "";
    wanted = Math.min(Math.max(Number(said.get("n")) || PAGE, PAGE), MOST);
  }

  function changed() {
    clearTimeout(wait);
    wanted = PAGE;
    remember();
    list.reload();
  }

  function remember() {
    const now = new URLSearchParams({ q: search.value.trim(), status: state.value, n: wanted > PAGE ? String(wanted) : "" });
    for (const [name, value] of [...now]) if (!value) now.delete(name);
    history.replaceState(null, "", context.address("history", ...(String(now) ? [String(now)] : [])));
  }

  /** @param {number} offset @param {number} limit */
  function page(offset, limit) {
    const query = { project_id: context.project, limit, offset, q: search.value.trim(), ...STATES[state.value].query };
    return context.api.get("/v1/asks", query, context.signal);
  }

  /** The oldest question that the service still has says how far back it goes. */
  async function tellHowFar() {
    const { api, project, signal } = context;
    try {
      const { total } = await api.get("/v1/asks", { project_id: project, limit: 1 }, signal);
      if (total < 2) return;
      const { asks } = await api.get("/v1/asks", { project_id: project, limit: 1, offset: total - 1 }, signal);
      if (asks.length && dayOf(asks[0]) !== t("day.today")) fill(goesBack, " ", t("history.since", { day: dayOf(asks[0]) }));
    } catch {
      // The list itself says what does not work.
    }
  }

  /** What is said of the list is not true of one that cannot be had. */
  function load() {
    return page(0, wanted).catch((error) => {
      fill(status);
      throw error;
    });
  }

  /** @param {number} total */
  function tell(total) {
    const none = t(search.value || state.value ? "history.none" : "history.empty");
    status.className = total ? "small muted" : "empty";
    const text = total ? t("history.count", { count: total }) : none;
    if (status.textContent !== text) fill(status, text);
  }

  /** @param {{asks: Record<string, any>[], total: number}} found */
  function show({ asks, total }) {
    tell(total);
    if (!total) return [];
    const days = byDay(context);
    days.add(asks);
    let shown = asks.length;
    const more = h("button", { class: "button", type: "button", onclick: next }, t("more"));
    const problem = h("div");
    more.hidden = shown >= total;
    function next() {
      attempt(more, problem, async () => {
        const { asks: following } = await page(shown, PAGE);
        days.add(following);
        shown = following.length ? shown + following.length : total;
        wanted = Math.min(Math.ceil(shown / PAGE) * PAGE, MOST);
        remember();
        more.hidden = shown >= total;
      }, { signal: context.signal });
    }
    return [days.element, problem, h("div", { class: "row" }, more)];
  }

  const head = h("header", { class: "page-head" }, h("h1", null, t("place.history")), h("p", null, t("history.hint"), goesBack));
  return h("div", { class: "page" }, head, h("div", { class: "history-tools row", role: "search" }, search, state), h("div", { class: "stack" }, status, list.element));
}

/** A list that has a heading for each day. @param {import("../main.js").Context} context */
function byDay(context) {
  const element = h("div", { class: "stack days" });
  let last = "";
  /** @type {HTMLElement | null} */
  let items = null;
  /** @type {Record<string, any>[]} */
  const all = [];
  /** @param {Record<string, any>[]} asks the latest first, all of them older than those before */
  function add(asks) {
    const from = all.length;
    all.push(...asks);
    for (const [at, one] of asks.entries()) {
      const day = dayOf(one);
      if (day !== last || items === null) {
        items = h("ul", { class: "list card is-bare" });
        element.append(h("section", { class: "day" }, h("h2", { class: "day-name" }, day), items));
        last = day;
      }
      const when = new Date(one.created_at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
      items?.append(pastAsk(context, one, { when, before: idsBefore(all, from + at) }));
    }
  }
  return { element, add };
}

/**
 * The ids of the questions that one follows on, the first one first, as far as they stand in the list.
 * @param {Record<string, any>[]} all the latest first @param {number} at
 */
function idsBefore(all, at) {
  const ids = [];
  for (let place = at; all[place]?.follows && ids.length < MOST_BEFORE; ) {
    const { follows } = all[place];
    const found = all.findIndex((other, index) => index > place && other.query === follows && other.status === "finished");
    if (found < 0) break;
    ids.unshift(all[found].query_id);
    place = found;
  }
  return ids;
}

/** The day of a question in words, by the clock of whoever looks. @param {Record<string, any>} one */
function dayOf(one) {
  const moment = new Date(one.created_at);
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(moment).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days === 0) return t("day.today");
  if (days === 1) return t("day.yesterday");
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  return moment.toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long", year: isThisYear ? undefined : "numeric" });
}
