// All rows of a statement as a file, which the service writes.
import { h, icon } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { dialog, menu } from "./dialog.js";
import { failure, toast } from "./notes.js";

const FORMATS = /** @type {const} */ (["csv", "xlsx", "json", "parquet"]);

/**
 * A menu of the formats that there are.
 * @param {{api: import("../lib/api.js").Api, project: string, sql: string, name: string}} given `name` is what the file is called
 * @returns {HTMLElement}
 */
export function downloads({ api, project, sql, name }) {
  const items = FORMATS.map((format) => ({
    text: t(`download.${format}`),
    act: () => download(api, { sql, format, name: plainName(name), project_id: project }),
  }));
  return menu([icon("download"), h("span", { class: "menu-text" }, t("download"))], items);
}

/** A file's name in one line, without letters that nobody sees. @param {string} name */
function plainName(name) {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]|[^\S ]/gu, " ").replace(/ +/g, " ").trim().slice(0, 200) || "askwell";
}

/**
 * Fetch a file while a dialog shows how far that is; closing it gives up.
 * @param {import("../lib/api.js").Api} api @param {{sql: string, format: string, name: string, project_id: string}} body
 */
async function download(api, body) {
  const stopped = new AbortController();
  const state = h("p", null, t("download.begins"));
  // How far it is changes too often to be said.
  const bytes = h("p", { class: "small muted", "aria-hidden": "true" });
  const bar = h("div", { class: "progress is-open" }, h("span"));
  const shown = dialog(t("download"), [state, bytes, bar], [h("button", { class: "button", type: "button", onclick: () => shown.close() }, t("cancel"))]);
  shown.element.addEventListener("close", () => stopped.abort());
  try {
    const answer = await api.fetch("POST", "/v1/sql-exports", { body, signal: stopped.signal });
    const blob = await whole(answer, (now) => (bytes.textContent = t("download.bytes", { megabytes: (now / 1e6).toFixed(1) })));
    const file = nameOf(answer) ?? `askwell.${body.format}`;
    keep(blob, file);
    shown.close();
    toast(t("download.saved", { file }));
  } catch (error) {
    if (stopped.signal.aborted) return;
    bytes.remove();
    bar.remove();
    state.replaceWith(failure(error));
  }
}

/** @param {Response} answer @param {(bytes: number) => void} onBytes */
async function whole(answer, onBytes) {
  let bytes = 0;
  const counting = new TransformStream({
    transform: (/** @type {Uint8Array} */ piece, next) => {
      onBytes((bytes += piece.length));
      next.enqueue(piece);
    },
  });
  return new Response(answer.body?.pipeThrough(counting), { headers: { "Content-Type": answer.headers.get("Content-Type") ?? "" } }).blob();
}

/** The name in `Content-Disposition`, as RFC 6266 has it. @param {Response} answer */
function nameOf(answer) {
  const said = answer.headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(said);
  return encoded ? decodeURIComponent(encoded[1]) : /filename="([^"]+)"/i.exec(said)?.[1];
}

/** A name for a file, as the service makes them. @param {string} wanted @param {string} ending */
export function fileName(wanted, ending) {
  const kept = wanted.replace(/[^\p{L}\p{N}_ .()+,-]+/gu, "_").slice(0, 120).replace(/^[ .]+|[ .]+$/g, "");
  return `${kept || "chart"}.${ending}`;
}

/** Give a file to whoever uses the page. @param {Blob} blob @param {string} name */
export function keep(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
