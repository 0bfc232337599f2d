// Signing in: at the issuer, or with a key.
import { h } from "../lib/dom.js";
import { t } from "../lib/text.js";
import { attempt, note } from "../parts/notes.js";

/** @param {import("../lib/session.js").Session} session */
export function signIn(session) {
  const { takesBrowsers, takesKeys } = session.settings;
  const problem = h("div", null, session.refusal && note("bad", session.refusal.text, session.refusal.more));
  session.refusal = null;
  const issuer = takesBrowsers && h("button", { class: "button is-main", type: "button", onclick: () => session.atIssuer() }, t("sign.in.issuer"));
  const field = h("input", { class: "input", type: "password", autocomplete: "current-password", required: true, id: "key" });
  const submit = h("button", { class: takesBrowsers ? "button" : "button is-main" }, t("sign.in"));
  const form = takesKeys && h("form", { class: "stack", onsubmit: send }, h("label", { class: "field" }, h("span", null, t("key")), field, h("small", null, t("key.hint"))), submit);

  /** @param {Event} event */
  function send(event) {
    event.preventDefault();
    attempt(submit, problem, () => session.useKey(field.value).catch((error) => {
      field.setAttribute("aria-invalid", "true");
      throw error;
    }));
  }
  return h("main", { class: "page sign-in" }, h("h1", null, t("sign.in.title")), h("div", { class: "card stack" }, issuer, form, problem));
}
