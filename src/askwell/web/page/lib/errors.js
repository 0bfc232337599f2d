// What goes wrong, as the service says it: what happened, and what to do next.

/** Whether nobody waits for this any more. @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/** An answer of the service that is no success, or none at all (`status` 0). */
export class ServiceError extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, message?: string, hint?: string, request_id?: string, [more: string]: any}} body
   */
  constructor(status, body) {
    super(body.message ?? "");
    this.status = status;
    /** All that was answered: some errors say more, such as which dependency is down. */
    this.body = body;
    this.code = body.code ?? (status === 0 ? "NETWORK" : "");
    this.hint = body.hint ?? "";
    this.requestId = body.request_id ?? "";
  }

  /** Whether nobody answered: the service is gone, or the way to it. */
  get isAway() {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }

  /** Whether the caller has to sign in, again. */
  get isUnknownCaller() {
    return this.status === 401;
  }
}
