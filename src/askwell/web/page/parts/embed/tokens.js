// The tokens that requests of an element are sent with: a text, or what a function of the site's gives.
import { ServiceError } from "../../lib/errors.js";
import { t } from "../../lib/text.js";

/** @typedef {(isRefused: boolean) => Promise<string> | string} TokenProvider told whether the token before was refused */

// A function that takes longer than this gives none, in milliseconds.
const PATIENCE = 20_000;
/** The code of what failed because somebody stopped waiting for a token. */
export const STOPPED = "STOPPED";

export class Tokens {
  /** In the place of the text. @type {TokenProvider | null} */
  #provider = null;
  /** @type {string | null} */
  text = null;
  /** The token that was given last, or that is on its way. @type {Promise<string | null> | null} */
  #given = null;
  /** Aborted when nobody waits any more for what is on its way. */
  #waiting = new AbortController();

  get provider() {
    return this.#provider;
  }

  set provider(provider) {
    this.#provider = provider ?? null;
    this.#given = null;
    this.#end();
  }

  /** Ask for the next one anew. */
  forget() {
    this.#given = null;
  }

  /** Wait no longer for a token that is on its way. */
  stop() {
    this.#end(new ServiceError(401, { code: STOPPED, message: t("stopped") }));
  }

  /** The token to send now. Raises `ServiceError` where the site gives none. @returns {Promise<string | null>} */
  async current() {
    if (this.#provider === null) return this.text;
    this.#given ??= this.#provide(this.#provider, false);
    return this.#given;
  }

  /** Whether there is another token than the one that was refused. */
  async refused() {
    const provider = this.#provider;
    if (provider === null) return false;
    const before = this.#given;
    const refused = await before;
    // Requests that were refused at the same time wait for one and the same token.
    if (this.#given === before) this.#given = this.#provide(provider, true);
    return (await this.#given) !== refused;
  }

  /** @param {unknown} [why] */
  #end(why) {
    this.#waiting.abort(why);
    this.#waiting = new AbortController();
  }

  /** @param {TokenProvider} provider @param {boolean} isRefused @returns {Promise<string | null>} */
  async #provide(provider, isRefused) {
    const { signal } = this.#waiting;
    try {
      return await soon(() => provider(isRefused), signal);
    } catch (error) {
      // What waited for another function's token is sent with that of the one there is now.
      if (provider !== this.#provider) return this.current();
      this.#given = null;
      if (error instanceof ServiceError && error.code === STOPPED) throw error;
      console.error(error);
      throw new ServiceError(401, { code: "NO_TOKEN", message: t("embed.no.token"), hint: t("embed.no.token.hint") });
    }
  }
}

/**
 * What is given before long. Raises what keeps it from that.
 * @template Value
 * @param {() => Promise<Value> | Value} give @param {AbortSignal} signal
 * @returns {Promise<Value>}
 */
function soon(give, signal) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`tokenProvider gave no token within ${PATIENCE / 1000} seconds.`)), PATIENCE);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    new Promise((begin) => begin(give())).then(/** @type {any} */ (resolve), reject).finally(() => clearTimeout(late));
  });
}
