// The tokens that requests of an element are sent with: a text, or what a function of the site's gives.
import { ServiceError } from "../../lib/errors.js";
import { t } from "../../lib/text.js";

/** @typedef {(isRefused: boolean) => Promise<string> | string} TokenProvider told whether the token before was refused */

export class Tokens {
  /** In the place of the text. @type {TokenProvider | null} */
  #provider = null;
  /** @type {string | null} */
  #text = null;
  /** The token that was given last, or that is on its way. @type {Promise<string> | null} */
  #given = null;

  get provider() {
    return this.#provider;
  }

  set provider(provider) {
    this.#provider = provider ?? null;
    this.#given = null;
  }

  get text() {
    return this.#text;
  }

  set text(text) {
    this.#text = text;
  }

  /** Ask for the next one anew. */
  forget() {
    this.#given = null;
  }

  /** The token to send now. Raises `ServiceError` where the site gives none. @returns {Promise<string | null>} */
  async current() {
    if (this.#provider === null) return this.#text;
    this.#given ??= this.#provide(this.#provider, false);
    return this.#given;
  }

  /** Whether there is another token than the one that was refused. */
  async refused() {
    if (this.#provider === null) return false;
    const before = this.#given;
    const refused = await before;
    // Requests that were refused at the same time wait for one and the same token.
    if (this.#given === before) this.#given = this.#provide(this.#provider, true);
    return (await this.#given) !== refused;
  }

  /** @param {TokenProvider} provider @param {boolean} isRefused */
  async #provide(provider, isRefused) {
    try {
      return await provider(isRefused);
    } catch (error) {
      console.error(error);
      this.#given = null;
      throw new ServiceError(401, { code: "NO_TOKEN", message: t("embed.no.token"), hint: t("embed.no.token.hint") });
    }
  }
}
