// Asking a question: what every request for an answer says, and when there is nothing more to wait for.

// A service that takes longer than this to say that it has a question is away, in milliseconds.
const PATIENCE = 30_000;

/** An id for something new. Not by `randomUUID`, which is there on secure origins alone. @param {string} prefix */
export function newId(prefix) {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `${prefix}-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** What makes a request one and the same when it is tried again, so that it is not asked twice. */
export function newKey() {
  return newId("key");
}

/** Where whoever asks is, as requests say it. */
export function timezone() {
  return { name: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" };
}

/**
 * Ask, and get the ask's id. Raises as `Api.send`.
 * @param {import("./api.js").Api} api
 * @param {string} project
 * @param {string} query
 * @param {{more?: Record<string, unknown>, language?: string, key?: string, signal?: AbortSignal}} [given] `more` is what else the request says, `language` what a language model answers in
 * @returns {Promise<string>}
 */
export async function startAsk(api, project, query, { more = {}, language, key = newKey(), signal } = {}) {
  const body = { query, project_id: project, execute: true, interactive: true, suggest: true, ...more, configurations: { timezone: timezone(), language } };
  const headers = { "Idempotency-Key": key };
  const late = AbortSignal.timeout(PATIENCE);
  return (await api.send("POST", "/v1/asks", body, { signal: signal ? AbortSignal.any([signal, late]) : late, headers })).query_id;
}

/** Whether an ask or another job is over, however it ended. @param {string} status */
export function hasEnded(status) {
  return status === "finished" || status === "failed" || status === "stopped";
}
