// Server-sent events over fetch, which sends who calls along, and goes on where a stream was cut off.
import { ServiceError } from "./errors.js";

/** @typedef {{id: string | null, name: string, data: any}} ServerEvent */

// Waits between two tries, in milliseconds: at first short, for a service that restarts.
const WAITS = [300, 1000, 2000, 4000, 8000];
// A stream that is silent for longer than three of the service's heartbeats is dead.
const SILENCE = 50_000;

/**
 * The events of a stream until its end, across cuts: after one it goes on behind the last event that came. Ends at
 * `done`, `error` and a 204. Raises `ServiceError` for refusals that trying again does not change, and `AbortError`.
 *
 * @param {import("./api.js").Api} api
 * @param {string} path
 * @param {{after?: string, signal?: AbortSignal, ends?: (event: ServerEvent) => boolean, onAway?: (isAway: boolean) => void}} [more] `after` is the id of the last event that was seen before; `onAway` is told when the service is gone, and when it is back
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* events(api, path, { after = "", signal, ends = isEnd, onAway = () => {} } = {}) {
  let isAway = false;
  const away = (/** @type {boolean} */ now) => onAway((isAway = now));
  try {
    yield* goingOn(api, path, { last: after, failures: 0, onAway: away }, ends, signal);
  } finally {
    // However it ends, nobody waits for the service here any more.
    if (isAway) onAway(false);
  }
}

/**
 * @param {import("./api.js").Api} api @param {string} path
 * @param {{last: string, failures: number, onAway: (isAway: boolean) => void}} stream
 * @param {(event: ServerEvent) => boolean} ends @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<ServerEvent>}
 */
async function* goingOn(api, path, stream, ends, signal) {
  for (;;) {
    try {
      for await (const event of once(api, path, stream, signal)) {
        yield event;
        if (ends(event)) return;
      }
      if (stream.last === DONE) return;
    } catch (error) {
      if (signal?.aborted || !mayPass(error)) throw error;
    }
    // One cut is none that anybody need hear of.
    if (stream.failures > 0) stream.onAway(true);
    await pause(WAITS[Math.min(stream.failures, WAITS.length - 1)], signal);
    stream.failures += 1;
  }
}

// What `last` is when nothing follows any more.
const DONE = "(done)";

/**
 * The events of one connection, from behind the last one that came.
 * @param {import("./api.js").Api} api @param {string} path
 * @param {{last: string, failures: number, onAway: (isAway: boolean) => void}} stream @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<ServerEvent>}
 */
async function* once(api, path, stream, signal) {
  const cut = new AbortController();
  const both = signal ? AbortSignal.any([signal, cut.signal]) : cut.signal;
  try {
    const headers = stream.last ? { "Last-Event-ID": stream.last } : undefined;
    const answer = await api.fetch("GET", path, { signal: both, headers });
    if (stream.failures > 0) stream.onAway(false);
    if (answer.status === 204) stream.last = DONE;
    else {
      for await (const event of read(answer, cut)) {
        stream.failures = 0;
        stream.last = event.id ?? stream.last;
        if (event.name !== "heartbeat") yield event;
      }
    }
  } finally {
    cut.abort();
  }
}

/** Whether trying again may help. @param {unknown} error */
function mayPass(error) {
  if (error instanceof SyntaxError) return false;
  return !(error instanceof ServiceError) || error.isAway || error.status === 429;
}

/** @param {ServerEvent} event */
function isEnd(event) {
  return event.name === "done" || event.name === "error";
}

/** The events of one answer. @param {Response} answer @param {AbortController} [cut] aborted when nothing comes any more @returns {AsyncGenerator<ServerEvent>} */
export async function* read(answer, cut = new AbortController()) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  let silence = setTimeout(() => cut.abort(), SILENCE);
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => cut.abort(), SILENCE);
      rest += decoder.decode(value, { stream: true });
      const frames = rest.split(/\r?\n\r?\n/);
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const event = parsed(frame);
        if (event) yield event;
      }
    }
  } finally {
    clearTimeout(silence);
    reader.cancel().catch(() => {});
  }
}

/** One frame, as https://html.spec.whatwg.org/multipage/server-sent-events.html has it. @param {string} frame @returns {ServerEvent | null} */
function parsed(frame) {
  /** @type {ServerEvent} */
  const event = { id: null, name: "message", data: null };
  const data = [];
  for (const line of frame.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") event.id = value;
    else if (field === "event") event.name = value;
    else if (field === "data") data.push(value);
  }
  if (!data.length) return null;
  event.data = JSON.parse(data.join("\n"));
  return event;
}

/** Do something again and again, while somebody looks. @param {number} milliseconds @param {AbortSignal} signal @param {() => unknown} act */
export function every(milliseconds, signal, act) {
  const clock = setInterval(() => document.hidden || act(), milliseconds);
  signal.addEventListener("abort", () => clearInterval(clock));
}

/** @param {number} milliseconds @param {AbortSignal} [signal] @returns {Promise<void>} */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
