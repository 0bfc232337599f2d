// Lessons: what the project has learnt of its people's words. Those that wait for somebody's word come first.
import { fill, h, icon } from "../../lib/dom.js";
import { ServiceError } from "../../lib/errors.js";
import { t } from "../../lib/text.js";
import { menu } from "../dialog.js";
import { keep } from "../downloads.js";
import { beginning, longText } from "../long-text.js";
import { attempt, note, toast, toastError } from "../notes.js";
import { acting, become, field, working } from "./changes.js";
import { kept } from "./collection.js";
import { bodyFields, isEditable, KINDS, lessonSql, lessonText } from "./lesson-forms.js";

/** @typedef {import("./lesson-forms.js").Lesson} Lesson */

const STATES = /** @type {const} */ (["active", "retired", "refused"]);

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const { api, project, signal } = context;
  const read = h("div");
  /** @type {typeof STATES[number]} */
  let shownState = STATES[0];
  const textOf = (/** @type {Lesson} */ one) => `${lessonText(one)}\n${one.note ?? ""}`;
  const all = kept(context, "lessons", { from: ["/v1/lessons", "lessons"], textOf, line, form: (one, close) => (one ? change(one, close) : teach()), show });
  const file = h("input", { type: "file", accept: ".yaml,.yml", hidden: true, onchange: readFile });
  const files = menu([icon("more")], [
    { text: t("lessons.export"), act: () => download("/v1/lessons/export", "lessons.yaml") },
    { text: t("lessons.import"), act: () => file.click() },
    { text: t("lessons.patch"), act: () => download("/v1/lessons/model-patch", "model-patch.json") },
  ], { name: t("lessons.files"), small: false });

  /** @param {any[]} found */
  function show(found) {
    const waiting = found.filter((one) => one.status === "candidate");
    return [
      waiting.length > 0 && h("section", { class: "stack" }, h("h3", null, t("lessons.waiting", { count: waiting.length })), h("ul", { class: "list card is-bare is-waiting" }, waiting.map(all.entry))),
      found.length > 0 ? h("section", { class: "stack" }, h("h3", { class: "for-readers" }, t("lessons.others")), others(found)) : h("p", { class: "empty" }, t("lessons.empty")),
    ];
  }

  /** Those that are decided, by how they stand. @param {Lesson[]} found */
  function others(found) {
    const shown = h("div", { class: "stack" });
    const buttons = STATES.map((state) => h("button", { class: "button is-small", type: "button", onclick: () => choose(state) }, t(`lesson.state.${state}`), h("span", { class: "muted" }, found.filter((one) => one.status === state).length)));
    /** @param {typeof STATES[number]} state */
    function choose(state) {
      shownState = state;
      STATES.forEach((one, at) => buttons[at].setAttribute("aria-pressed", String(one === state)));
      fill(shown, all.listed(found.filter((one) => one.status === state), t("lessons.none")));
    }
    choose(shownState);
    return [h("div", { class: "row", role: "group", "aria-label": t("lessons.state") }, buttons), shown];
  }

  /** @param {Lesson} one @returns {import("./collection.js").Line} */
  function line(one) {
    const text = lessonText(one);
    const source = one.source_ask_id && h("a", { class: "small", href: context.address("ask", one.source_ask_id) }, t("lesson.source"));
    const uses = one.uses ? t("lesson.uses", { count: one.uses, right: one.successes }) : t("lesson.unused");
    const words = [t(/** @type {any} */ (`lesson.origin.${one.origin}`)), t("lesson.sure", { percent: Math.round(one.confidence * 100) }), uses].join(" · ");
    const facts = h("div", { class: "row small muted" }, h("span", { class: "badge" }, t(`lesson.kind.${one.kind}`)), words, source);
    const isGone = isUndone(one);
    return {
      name: text,
      main: [h("p", { class: "keep-title", dir: "auto" }, text), one.note && longText(one.note, { class: "muted" }), lessonSql(one), facts, one.problem && note("warn", one.problem)],
      actions: (where) => actions(one, text, where),
      isChanged: !isGone,
      remove: isGone ? removal(one, text) : one.status === "active" ? undoing(one, text) : undefined,
    };
  }

  /** @param {Lesson} one @param {string} text */
  function removal(one, text) {
    const act = () => done(api.send("DELETE", "/v1/lessons", { project_id: project, lesson_ids: [one.id] }, { signal }));
    return { question: t("lessons.delete", { lesson: beginning(text) }), act };
  }

  /** @param {Lesson} one @param {string} text */
  function undoing(one, text) {
    const act = () => done(api.send("POST", `/v1/lessons/${encodeURIComponent(one.id)}/revert`, undefined, { query: { project_id: project }, signal }));
    return { action: t("lessons.revert"), style: "is-small", working: t("lessons.reverting"), question: t("lessons.revert.sure", { lesson: beginning(text) }), act };
  }

  /** @param {Lesson} one @param {string} text @param {HTMLElement} where */
  function actions(one, text, where) {
    const named = (/** @type {string} */ action) => t("keep.of", { action, name: beginning(text) });
    /** @param {"active" | "refused"} status @param {"approve" | "refuse"} word @param {"check" | "close"} picture @param {string} [style] */
    const setting = (status, word, picture, style = "is-small") =>
      acting({ style, label: [icon(picture), t(`lessons.${word}`)], name: named(t(`lessons.${word}`)), working: t("keep.saving"), place: where, act: () => patch(one.id, { status }) });
    if (one.status === "candidate") return [setting("active", "approve", "check", "is-small is-main"), setting("refused", "refuse", "close")];
    return one.status === "active" ? [] : [setting("active", "approve", "check")];
  }

  /** @param {Lesson} one @param {() => void} close */
  function change(one, close) {
    const remark = noteField(one.note ?? "");
    const fields = isEditable(one) ? bodyFields(one.kind, one.body) : null;
    // The service takes what differs alone: a lesson whose words were changed is a person's from then on.
    const said = () => {
      const body = fields?.read();
      const isOther = body && JSON.stringify(body) !== JSON.stringify(Object.fromEntries(Object.keys(body).map((name) => [name, one.body[name]])));
      return { note: remark.value.trim() || undefined, ...(isOther ? { body } : {}) };
    };
    const tell = (/** @type {Lesson} */ now) => h("div", { class: "stack" }, h("p", { dir: "auto" }, lessonText(now)), now.note && longText(now.note, { class: "muted" }), lessonSql(now));
    // How often it was used changes by itself.
    const part = (/** @type {Lesson} */ { body, note: words, status }) => [body, words, isUndone({ status })];
    const looked = all.lookedAgain(one, close, { tell, part, said: becomeOf });
    async function act() {
      const { now, isSame } = await looked();
      if (isSame) return patch(one.id, said());
      // One that was deleted is taught again; one that was undone meanwhile counts again.
      if (!now) return teachOne({ kind: one.kind, body: fields?.read() ?? one.body, note: remark.value.trim() || undefined });
      return patch(one.id, { ...said(), body: fields?.read(), ...(isUndone(now) && one.status === "active" ? { status: "active" } : {}) });
    }
    return { fields: [...(fields?.elements ?? []), field(t("lesson.note"), remark)], act };
  }

  function teach() {
    const kind = h("select", { class: "input" }, KINDS.map((one) => h("option", { value: one }, t(`lesson.kind.${one}`))));
    const remark = noteField("");
    let fields = bodyFields(KINDS[0]);
    const body = h("div", { class: "stack" }, fields.elements);
    kind.addEventListener("change", () => {
      fields = bodyFields(kind.value);
      fill(body, fields.elements);
    });
    const act = () => teachOne({ kind: kind.value, body: fields.read(), note: remark.value.trim() || undefined });
    return { fields: [field(t("lesson.kind"), kind), body, field(t("lesson.note"), remark)], action: t("lessons.teach"), act };
  }

  /** @param {{kind: string, body: Record<string, any>, note?: string}} lesson */
  function teachOne(lesson) {
    return done(api.send("POST", "/v1/lessons", { project_id: project, lessons: [lesson] }, { signal }));
  }

  /** @param {string} id @param {Record<string, unknown>} changes */
  function patch(id, changes) {
    return done(api.send("PATCH", `/v1/lessons/${encodeURIComponent(id)}`, { project_id: project, ...changes }, { signal }));
  }

  /** @param {Promise<unknown>} sent */
  async function done(sent) {
    try {
      await sent;
    } catch (error) {
      const isGone = error instanceof ServiceError && error.status === 404;
      throw isGone ? new ServiceError(404, { message: t("lessons.gone"), hint: t("lessons.gone.hint") }) : error;
    }
    await all.list.reload();
  }

  /** @param {string} path @param {string} name */
  async function download(path, name) {
    try {
      const answer = await api.fetch("GET", `${path}?${new URLSearchParams({ project_id: project })}`, { signal });
      keep(await answer.blob(), name);
    } catch (error) {
      if (!signal.aborted) toastError(error);
    }
  }

  function readFile() {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    attempt(file, read, async () => {
      const taken = await api.send("POST", "/v1/lessons/import", { project_id: project, yaml: await chosen.text() }, { signal });
      fill(read, (taken.problems ?? []).map((/** @type {string} */ one) => note("warn", one)));
      toast(t("lessons.read", { count: taken.lessons.length }));
      await all.list.reload();
    }, { working: working(t("lessons.reading", { name: chosen.name })), signal });
  }
  return all.section([files, file], read);
}

/** Whether it counts no more. @param {Pick<Lesson, "status">} lesson */
function isUndone({ status }) {
  return status === "retired" || status === "refused";
}

/** What has become of a lesson meanwhile. @param {Record<string, any> | undefined} now */
function becomeOf(now) {
  return now && isUndone(/** @type {Lesson} */ (now)) ? { text: t("lessons.undone"), leave: t("lessons.leave.undone") } : become(now);
}

/** @param {string} value */
function noteField(value) {
  return h("textarea", { class: "input", rows: 2, maxlength: 500, dir: "auto" }, value);
}
