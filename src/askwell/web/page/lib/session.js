// Who uses the page, what they may do, and what this service offers.
import { Api } from "./api.js";
import { ServiceError } from "./errors.js";
import { tab } from "./storage.js";
import { t } from "./text.js";

/**
 * What the service says of itself in the page, before anybody has signed in.
 * @typedef {object} ServiceSettings
 * @property {string} version
 * @property {boolean} takesKeys whether people may sign in with a key
 * @property {boolean} takesBrowsers whether they may at an issuer (OpenID Connect)
 * @property {boolean} hasModel whether a language model is configured
 * @property {boolean} takesUploads whether files may become projects
 * @property {number} mostMegabytes how large each of these may be
 * @property {{text: string, more: string}} [refusal] why the sign-in that led here was refused
 */

/** @typedef {"ask" | "curate" | "admin"} Role */
/** @typedef {{name: string, role: Role, projects: string[] | null, csrf_token: string | null}} Me */

const ROLES = ["ask", "curate", "admin"];
const KEY = "askwell.key";
const WHO = "askwell.who";
const PLACE = "askwell.place";

/** Signing in and out, and requests in the name of whoever has. Tells `changed` when who that is changes, `answered` when the service answers. */
export class Session extends EventTarget {
  /** @param {ServiceSettings} settings */
  constructor(settings) {
    super();
    this.settings = settings;
    /** Why the sign-in that led here was refused, for whoever says it first. */
    this.refusal = settings.refusal ?? null;
    /** @type {Me | null} */
    this.me = null;
    this.api = new Api({
      base: "",
      token: () => tab.getItem(KEY),
      csrf: () => this.me?.csrf_token ?? null,
      onAnswer: () => this.dispatchEvent(new Event("answered")),
      onUnknown: () => this.#lost(),
    });
  }

  /** Find out who that is. Raises `ServiceError` where nobody answers. */
  async begin() {
    try {
      this.#known(await this.api.get("/v1/me"));
    } catch (error) {
      if (!(error instanceof ServiceError && error.isUnknownCaller)) throw error;
      this.me = null;
    }
    this.dispatchEvent(new Event("changed"));
  }

  /** Sign in with a key. Raises `ServiceError` for one that is not good. @param {string} key */
  async useKey(key) {
    // No header can hold other letters.
    if (!/^[\x21-\x7e]+$/.test(key.trim())) throw new ServiceError(401, { message: t("key.letters") });
    tab.setItem(KEY, key.trim());
    try {
      this.#known(await this.api.get("/v1/me"));
    } catch (error) {
      tab.removeItem(KEY);
      throw error;
    }
    this.dispatchEvent(new Event("changed"));
  }

  /** Go to the issuer, and come back to where the page is. */
  atIssuer() {
    tab.setItem(PLACE, location.hash);
    location.assign("/v1/sign-in?return_to=/");
  }

  /** Where the page was before it went to the issuer; "" where it did not. */
  placeBefore() {
    const place = tab.getItem(PLACE) ?? "";
    tab.removeItem(PLACE);
    return place;
  }

  async signOut() {
    if (tab.getItem(KEY) === null) await this.api.send("POST", "/v1/sign-out");
    forget();
    this.#end();
  }

  /** Whether somebody has to sign in here at all. */
  get isClosed() {
    return this.settings.takesKeys || this.settings.takesBrowsers;
  }

  /** Whether whoever uses the page may do what takes this role. @param {Role} role */
  may(role) {
    return this.me !== null && ROLES.indexOf(this.me.role) >= ROLES.indexOf(role);
  }

  /** @param {Me} me */
  #known(me) {
    // What somebody else typed in this tab is not theirs.
    if ((tab.getItem(WHO) ?? me.name) !== me.name) forget();
    tab.setItem(WHO, me.name);
    this.me = me;
  }

  /** The service does not know the caller any more. */
  #lost() {
    if (this.me === null) return;
    this.refusal = { text: t("sign.in.again"), more: t("sign.in.again.hint") };
    this.#end();
  }

  #end() {
    tab.removeItem(KEY);
    this.me = null;
    this.dispatchEvent(new Event("changed"));
  }
}

/** Forget what was typed and looked at in this tab. */
function forget() {
  for (const name of tab.names()) {
    if (name.startsWith("askwell.") && name !== KEY && name !== PLACE) tab.removeItem(name);
  }
}

/** @returns {ServiceSettings} */
export function serviceSettings() {
  const said = document.querySelector('meta[name="askwell"]')?.getAttribute("content") ?? "{}";
  return JSON.parse(said);
}
