// Talking to the service: one place for addresses, who calls, and what comes back when it does not work.
import { isAbort, ServiceError } from "./errors.js";

/**
 * @typedef {object} Caller
 * @property {string} base the address of the service, without the slash at its end; "" for the page's own
 * @property {() => string | null | Promise<string | null>} token what is sent as `Authorization: Bearer`, where there is one
 * @property {() => string | null} csrf what changes of a browser's session bring along
 * @property {() => void} [onAnswer] told when the service answers
 * @property {(error: ServiceError) => ServiceError} [said] says an error in other words
 * @property {() => void | Promise<boolean>} onUnknown told when the service does not know the caller any more; true where it may by now
 */

/** Requests to one service. */
export class Api {
  /** @param {Caller} caller */
  constructor(caller) {
    this.caller = caller;
  }

  /**
   * Read, as JSON. Raises `ServiceError`, and `AbortError` when `signal` is aborted.
   * @param {string} path begins with "/v1"
   * @param {Record<string, string | number | boolean | null | undefined>} [query] what is null is left out
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  get(path, query = {}, signal) {
    return this.#json("GET", path + search(query), undefined, signal);
  }

  /**
   * Change something: POST, PUT, PATCH or DELETE with JSON. Raises as `get`.
   * @param {"POST" | "PUT" | "PATCH" | "DELETE"} method
   * @param {string} path
   * @param {unknown} [body] JSON, or a `FormData`
   * @param {{query?: Record<string, any>, signal?: AbortSignal, headers?: Record<string, string>}} [more]
   * @returns {Promise<any>}
   */
  send(method, path, body, { query = {}, signal, headers = {} } = {}) {
    return this.#json(method, path + search(query), body, signal, headers);
  }

  /**
   * The answer itself, for files and streams. Raises as `get`.
   * @param {string} method
   * @param {string} path
   * @param {{body?: unknown, signal?: AbortSignal, headers?: Record<string, string>}} [more]
   * @returns {Promise<Response>}
   */
  async fetch(method, path, more = {}) {
    const answer = await this.#once(method, path, more);
    const isKnownNow = answer.status === 401 && (await this.caller.onUnknown());
    const last = isKnownNow ? await this.#once(method, path, more) : answer;
    if (last.ok) return last;
    const error = new ServiceError(last.status, await last.json().catch(() => ({})));
    throw this.caller.said?.(error) ?? error;
  }

  /** @param {string} method @param {string} path @param {{body?: unknown, signal?: AbortSignal, headers?: Record<string, string>}} more */
  async #once(method, path, { body, signal, headers = {} }) {
    const sent = await this.headers(method, body, headers);
    // No cookies go to another site's service, nor beside a token.
    const credentials = sent.has("Authorization") || this.caller.base ? "omit" : "same-origin";
    const request = { method, headers: sent, body: encoded(body), signal };
    try {
      const answer = await fetch(this.caller.base + path, { ...request, credentials, cache: "no-store", redirect: "error" });
      // A proxy whose service is gone answers too.
      if (answer.status < 502) this.caller.onAnswer?.();
      return answer;
    } catch (error) {
      throw isAbort(error) ? error : new ServiceError(0, {});
    }
  }

  /** Who calls, and what is sent. @param {string} method @param {unknown} body @param {Record<string, string>} headers */
  async headers(method, body, headers) {
    const sent = new Headers(headers);
    const token = await this.caller.token();
    const csrf = this.caller.csrf();
    if (token) sent.set("Authorization", `Bearer ${token}`);
    if (csrf && method !== "GET") sent.set("X-CSRF-Token", csrf);
    if (body !== undefined && !(body instanceof FormData)) sent.set("Content-Type", "application/json");
    return sent;
  }

  /** @param {string} method @param {string} path @param {unknown} body @param {AbortSignal} [signal] @param {Record<string, string>} [headers] */
  async #json(method, path, body, signal, headers) {
    const answer = await this.fetch(method, path, { body, signal, headers });
    if (answer.status === 204) return null;
    try {
      return await answer.json();
    } catch (error) {
      throw isAbort(error) ? error : new ServiceError(0, {});
    }
  }
}

/** @param {unknown} body */
function encoded(body) {
  return body === undefined || body instanceof FormData ? body : JSON.stringify(body);
}

/** @param {Record<string, any>} query */
function search(query) {
  const said = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return said.length ? `?${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}` : "";
}
