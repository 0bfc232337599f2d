// Drawing a chart with Vega, in the colours of the page, and without anything that the page's policy refuses.
import { layerOf } from "../../lib/layer.js";
import { fitted, NARROW, TITLE_SIZE } from "./fitting.js";

/** @type {Promise<any> | null} */
let loading = null;

/** vega-embed, which is loaded when the first chart is shown. Raises where the service has none. */
function vegaEmbed() {
  loading ??= import(new URL("../../vega.js", import.meta.url).href).then(() => {
    const set = /** @type {any} */ (globalThis);
    const embed = set.askwellVegaEmbed;
    // Other sites, where questions may be asked too, have their own globals.
    delete set.askwellVegaEmbed;
    return embed;
  });
  loading.catch(() => (loading = null));
  return loading;
}

/**
 * Draw a chart into an element, in the place of what was drawn there. Raises where it cannot be drawn.
 * @param {HTMLElement} place @param {Record<string, any>} schema Vega-Lite with its rows
 * @param {() => boolean} isWanted whether it still is, once it is drawn
 * @returns {Promise<() => void>} what lets go of it
 */
export async function draw(place, schema, isWanted) {
  const embed = await vegaEmbed();
  // What Vega says of itself to readers stays within: the place has its own name.
  const host = emptied();
  const drawn = await embed(host, fitted(schema, place.clientWidth, fontOf(place)), { ...OPTIONS, config: config(place, place.clientWidth), tooltip: tooltip(place) });
  const letGo = () => {
    drawn.finalize();
    layerOf(place).querySelector(".chart-tip")?.remove();
  };
  if (isWanted()) place.replaceChildren(host);
  else letGo();
  return letGo;
}

/**
 * The chart as a file: as on the screen, in light colours. Raises where it cannot be drawn.
 * @param {HTMLElement} place where it is on the screen @param {Record<string, any>} schema @param {"svg" | "png"} format
 * @returns {Promise<Blob>}
 */
export async function picture(place, schema, format) {
  const embed = await vegaEmbed();
  const width = Math.max(LEAST_PICTURE, place.clientWidth);
  const light = { ...config(place, width, "light"), padding: 16 };
  const drawn = await embed(emptied(), fitted(schema, width, fontOf(place)), { ...OPTIONS, config: light, tooltip: () => undefined });
  try {
    if (format === "svg") return new Blob([await drawn.view.toSVG()], { type: "image/svg+xml" });
    const canvas = await drawn.view.toCanvas(2);
    return await new Promise((resolve, reject) => canvas.toBlob((/** @type {Blob | null} */ blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large."))), "image/png"));
  } finally {
    drawn.finalize();
  }
}

/** A place to draw in: Vega empties it by setting its markup to nothing, which no site under strict Trusted Types lets happen. */
function emptied() {
  const element = document.createElement("div");
  Object.defineProperty(element, "innerHTML", { configurable: true, set: () => element.replaceChildren() });
  return element;
}

const LEAST_PICTURE = 640;
const OPTIONS = { ast: true, actions: false, defaultStyle: false, renderer: "canvas", loader: { load: refused, sanitize: refused } };

/** A chart has its rows: it loads nothing, and leads nowhere. */
function refused() {
  return Promise.reject(new Error("Charts load nothing."));
}

/** What follows on the first. */
const CATEGORIES = {
  light: ["#c2622d", "#4c6fb3", "#a8437a", "#7a5fb8", "#947a10", "#2b8aa8", "#7d5336", "#5d6b76", "#5f8f24", "#b8403a", "#14506b"],
  dark: ["#f2a066", "#8fb0ee", "#e58ab8", "#b9a1f0", "#d9bf55", "#6cc6e0", "#c79a7a", "#a9b6c0", "#a5d06a", "#f0857e", "#7fb4cf"],
};

/**
 * The colours as they are now where the chart is, or those of a scheme.
 * @param {HTMLElement} place @param {number} width @param {"light" | "light dark" | ""} [scheme]
 */
function config(place, width, scheme = "") {
  const colour = (/** @type {string} */ name) => resolved(place, `var(--${name})`, scheme);
  const isDark = resolved(place, "light-dark(#fff, #000)", scheme) === "rgb(0, 0, 0)";
  const isNarrow = width < NARROW;
  const axis = { labelColor: colour("muted"), titleColor: colour("muted"), gridColor: colour("line"), domainColor: colour("line-strong"), tickColor: colour("line-strong"), labelFontSize: 11, titleFontSize: 12, titleFontWeight: 500, titlePadding: 10, labelPadding: 5 };
  // The first is the sheet's: on another site that is its accent.
  const category = [colour("mark"), ...CATEGORIES[isDark ? "dark" : "light"]];
  const legend = { labelColor: colour("muted"), titleColor: colour("muted"), labelFontSize: 11, titleFontSize: 12, labelLimit: 140 };
  return {
    background: scheme ? colour("surface") : "transparent",
    font: fontOf(place),
    title: { anchor: "start", fontSize: TITLE_SIZE, fontWeight: 600, color: colour("text"), offset: 12 },
    view: { stroke: null },
    axis,
    axisBand: { grid: false, ticks: false },
    axisPoint: { grid: false, ticks: false },
    axisQuantitative: { tickCount: isNarrow ? 4 : 6, labelOverlap: "greedy", labelSeparation: 10, domain: false, ticks: false },
    legend: isNarrow ? { ...legend, orient: "bottom", columns: 2 } : legend,
    mark: { color: category[0] },
    scale: { barBandPaddingInner: 0.25 },
    bar: { cornerRadiusEnd: 3 },
    line: { strokeWidth: 2.25 },
    point: { size: 36, filled: true },
    arc: { stroke: colour("surface"), strokeWidth: 1.5 },
    text: { color: colour("muted"), fontSize: 11 },
    range: { category },
  };
}

/** @param {HTMLElement} place */
function fontOf(place) {
  return getComputedStyle(place).getPropertyValue("--font") || "sans-serif";
}

/** A colour as the browser works it out; canvases know no variables. @param {HTMLElement} place @param {string} value @param {string} scheme */
function resolved(place, value, scheme) {
  const probe = document.createElement("span");
  probe.style.colorScheme = scheme;
  probe.style.color = value;
  place.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Shows what a mark stands for, as text. @param {HTMLElement} place */
function tooltip(place) {
  const tip = document.createElement("div");
  tip.className = "chart-tip";
  return (/** @type {any} */ _handler, /** @type {MouseEvent} */ event, /** @type {any} */ _item, /** @type {any} */ value) => {
    if (value === null || value === undefined || value === "") {
      tip.remove();
      return;
    }
    const lines = typeof value === "object" ? Object.entries(value).map(([name, one]) => `${name}: ${String(one)}`) : [String(value)];
    tip.textContent = lines.join("\n").slice(0, 1000);
    if (!tip.isConnected) layerOf(place).append(tip);
    const [x, y] = [event.clientX + 14, event.clientY + 14];
    tip.style.left = `${Math.min(x, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(y, innerHeight - tip.offsetHeight - 8)}px`;
  };
}
