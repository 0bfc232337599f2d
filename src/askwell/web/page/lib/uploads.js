// Sending a file, and telling how much of it has been sent, which `fetch` does not.
import { ServiceError } from "./errors.js";

/**
 * POST a form. Raises `ServiceError`, and `AbortError` when `signal` is aborted.
 * @param {import("./api.js").Api} api @param {string} path @param {FormData} form
 * @param {{onPart: (part: number) => void, signal: AbortSignal}} more `onPart` is told what part has been sent, from 0 to 1
 * @returns {Promise<any>}
 */
export async function upload(api, path, form, { onPart, signal }) {
  const headers = await api.headers("POST", form, {});
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.responseType = "json";
    request.open("POST", api.caller.base + path);
    for (const [name, value] of headers) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => event.lengthComputable && onPart(event.loaded / event.total));
    request.addEventListener("load", () => {
      const body = request.response ?? {};
      if (request.status >= 200 && request.status < 300) return resolve(body);
      const failure = new ServiceError(request.status, body);
      if (failure.isUnknownCaller) api.caller.onUnknown();
      return reject(failure);
    });
    request.addEventListener("error", () => reject(new ServiceError(0, {})));
    request.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}
