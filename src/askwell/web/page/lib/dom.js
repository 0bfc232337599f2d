// Making elements. Whatever comes from data becomes text or an attribute here, never markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "g", "rect", "text"]);
// Attributes by which a value could become code, or an address that runs it.
const REFUSED = /^(on.*|srcdoc|style)$/i;
const SAFE_ADDRESS = /^(https?:|blob:|mailto:|#|\/(?!\/)|\.)/i;

/**
 * An element with attributes and children. A function under `onclick` and the like becomes a listener; `class`, `hidden`,
 * `disabled` and other booleans are set or left out; `dataset` and `style` are objects (`style` also has custom properties).
 * Text children are text whatever stands in them.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, attributes, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  element.append(...nodes(children));
  return element;
}

/**
 * Put other children in the place of those that are there.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/** @param {Element} element @param {string} name @param {any} value */
function set(element, name, value) {
  if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
  else if (name === "dataset") Object.assign(/** @type {HTMLElement} */ (element).dataset, value);
  else if (name === "style") styles(/** @type {HTMLElement} */ (element), value);
  else if (REFUSED.test(name)) throw new TypeError(`The attribute ${name} is not set here.`);
  else if (name === "value" && "value" in element) element.value = value;
  else if (value === true) element.setAttribute(name, "");
  else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, attribute(name, value));
}

/** @param {HTMLElement} element @param {Record<string, string | number>} values */
function styles(element, values) {
  for (const [name, value] of Object.entries(values)) element.style.setProperty(name, String(value));
}

/** @param {string} name @param {any} value */
function attribute(name, value) {
  const text = String(value);
  return (name === "href" || name === "src") && !SAFE_ADDRESS.test(text) ? "#" : text;
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function nodes(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/** Whether a key ends what is typed: Enter, but not the one that ends a composition, which Safari tells by its code. @param {KeyboardEvent} event */
export function isEntered(event) {
  return event.key === "Enter" && !event.isComposing && event.keyCode !== 229;
}

/** Whether a key sends a text of several lines: Ctrl or Command with Enter. @param {KeyboardEvent} event */
export function isSent(event) {
  return event.key === "Enter" && (event.ctrlKey || event.metaKey);
}

/** Follow the pointer until it is let go. @param {(event: PointerEvent) => void} onMove */
export function followed(onMove) {
  const over = new AbortController();
  addEventListener("pointermove", onMove, { signal: over.signal });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => over.abort(), { signal: over.signal });
}

/** Number the articles of a feed, for readers. @param {Element[]} articles */
export function numbered(articles) {
  articles.forEach((one, at) => {
    one.setAttribute("aria-posinset", String(at + 1));
    one.setAttribute("aria-setsize", String(articles.length));
  });
}

/** Whether an element is written from right to left. @param {Element} element */
export function isRtl(element) {
  return getComputedStyle(element).direction === "rtl";
}

/** @type {Map<string, Promise<void>>} */
const used = new Map();

/**
 * Load a style sheet of the folder that the first one comes from, once; resolved when its rules hold, or when it cannot
 * be had.
 * @param {string} name
 * @returns {Promise<void>}
 */
export function useStyle(name) {
  const first = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel="stylesheet"]'));
  const loaded = used.get(name) ?? new Promise((resolve) => {
    const link = h("link", { rel: "stylesheet", href: new URL(name, first.href).href, onload: () => resolve(), onerror: () => resolve() });
    document.head.append(link);
  });
  used.set(name, loaded);
  return loaded;
}

/**
 * A picture of one of the icons below; it is for the eye alone.
 * @param {keyof typeof ICONS} name
 */
export function icon(name) {
  const paths = ICONS[name].map((d) => h("path", { d }));
  // Its size is that of the style sheets; without them it fills no page.
  return h("svg", { class: "icon", viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true", focusable: "false" }, paths);
}

// Strokes on a grid of 24 by 24, drawn for this page.
const ICONS = {
  ask: ["M4 5h16v11H9l-5 4z"],
  history: ["M12 7v5l3 2", "M4 12a8 8 0 1 0 3-6.2", "M4 4v4h4"],
  model: ["M4 5h6v5H4z", "M14 14h6v5h-6z", "M7 10v6h7"],
  keep: ["M4 7h10", "M4 12h16", "M4 17h7", "M17 4l3 3-3 3"],
  chat: ["M4 5h12v8H8l-4 3z", "M10 16h6l4 3V9"],
  send: ["M5 12h13", "M13 6l6 6-6 6"],
  stop: ["M7 7h10v10H7z"],
  check: ["M5 12.5l4.5 4.5L19 7"],
  warning: ["M12 4l9 16H3z", "M12 10v4", "M12 17v.2"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  menu: ["M4 7h16", "M4 12h16", "M4 17h16"],
  copy: ["M9 9h10v10H9z", "M5 15V5h10"],
  download: ["M12 4v11", "M7 11l5 5 5-5", "M5 20h14"],
  link: ["M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1", "M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"],
  up: ["M7 11v9H4v-9z", "M7 11l4-7c2 0 2.500 1.500 2 3l-.7 3H19l-1.500 10H7"],
  down: ["M7 13V4H4v9z", "M7 13l4 7c2 0 2.500-1.500 2-3l-.7-3H19L17.500 4H7"],
  edit: ["M4 20l1-4L16 5l3 3L8 19z", "M14 7l3 3"],
  plus: ["M12 5v14", "M5 12h14"],
  search: ["M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12z", "M16 16l4 4"],
  sun: ["M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z", "M12 2v3", "M12 19v3", "M2 12h3", "M19 12h3"],
  more: ["M6 12h.1", "M12 12h.1", "M18 12h.1"],
  table: ["M4 5h16v14H4z", "M4 10h16", "M10 5v14"],
  chart: ["M5 20V10", "M12 20V4", "M19 20v-7"],
  info: ["M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z", "M12 11v5", "M12 8v.2"],
  user: ["M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z", "M5 20c1-4 3.500-6 7-6s6 2 7 6"],
};
