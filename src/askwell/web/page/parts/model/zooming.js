// A picture that scrolls in its view, as browsers scroll, and is made larger and smaller by buttons, keys and wheel.
import { followed, h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";

const SCALES = [0.15, 3];
const FACTOR = 1.25;
// Smaller than this, letters cannot be read: what does not fit then is scrolled to.
const LEAST = 0.9;
const MARGIN = 16;
const HEIGHTS = [180, 560];

/**
 * Its buttons.
 * @param {HTMLElement} view what shows the picture @param {HTMLElement} picture
 * @param {object} given
 * @param {{width: number, height: number}} given.size of the picture
 * @param {{x: number, y: number, width: number, height: number}} [given.focus] what is looked at
 * @param {(isCut: boolean) => void} given.onSized told whether there is more of it than is in sight at first
 */
export function zoomed(view, picture, { size, focus, onSized }) {
  let [scale, isOwn, width] = [1, false, 0];
  const room = () => ({ x: view.clientWidth - 2 * MARGIN, y: view.clientHeight - 2 * MARGIN });
  const whole = () => Math.min(1, room().x / size.width, room().y / size.height);

  /** @param {number} wanted @param {{x: number, y: number}} [at] what stays where it is in the view */
  function zoom(wanted, at = { x: view.clientWidth / 2, y: view.clientHeight / 2 }) {
    const now = Math.min(SCALES[1], Math.max(SCALES[0], wanted));
    const [left, top] = [((view.scrollLeft + at.x) * now) / scale - at.x, ((view.scrollTop + at.y) * now) / scale - at.y];
    scale = now;
    Object.assign(picture.style, { width: `${size.width}px`, height: `${size.height}px`, zoom: String(now) });
    view.scrollTo({ left, top, behavior: "instant" });
  }

  /** As it is shown at first: all of it, or, where that could not be read, what is looked at with what is around it. */
  function begin() {
    if (isOwn || view.clientWidth === width) return;
    width = view.clientWidth;
    const fits = Math.min(1, Math.max(LEAST, room().x / size.width));
    view.style.blockSize = `${Math.min(HEIGHTS[1], Math.max(HEIGHTS[0], size.height * fits + 2 * MARGIN))}px`;
    onSized(whole() < LEAST);
    zoom(Math.max(whole(), LEAST));
    const { x, y, ...looked } = focus ?? { x: 0, y: 0, ...size };
    view.scrollTo({ left: (x + looked.width / 2) * scale + MARGIN - view.clientWidth / 2, top: (y + looked.height / 2) * scale + MARGIN - view.clientHeight / 2, behavior: "instant" });
  }

  const acts = { "−": () => zoom(scale / FACTOR), "+": () => zoom(scale * FACTOR), "⤢": () => zoom(whole()) };
  const keys = /** @type {Record<string, () => void>} */ ({ "-": acts["−"], "+": acts["+"], "=": acts["+"], 0: acts["⤢"] });
  const by = (/** @type {() => void} */ act) => {
    isOwn = true;
    act();
  };
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    by(keys[event.key]);
  });
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = view.getBoundingClientRect();
    by(() => zoom(scale * Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0018)), { x: event.clientX - left, y: event.clientY - top }));
  }, { passive: false });
  // Fingers scroll by themselves.
  view.addEventListener("pointerdown", ({ button, pointerType, clientX, clientY }) => {
    view.classList.remove("is-dragged");
    if (button !== 0 || pointerType === "touch") return;
    const [left, top] = [view.scrollLeft, view.scrollTop];
    followed((event) => {
      if (Math.abs(event.clientX - clientX) + Math.abs(event.clientY - clientY) > 4) view.classList.add("is-dragged");
      if (view.classList.contains("is-dragged")) by(() => view.scrollTo(left + clientX - event.clientX, top + clientY - event.clientY));
    });
  });
  // What follows on a drag is no click.
  view.addEventListener("click", (event) => view.classList.contains("is-dragged") && event.stopPropagation(), { capture: true });
  new ResizeObserver(begin).observe(view);
  const names = { "−": t("model.graph.smaller"), "+": t("model.graph.larger"), "⤢": t("model.graph.fit") };
  const buttons = Object.entries(acts).map(([sign, act]) => {
    const name = names[/** @type {keyof typeof names} */ (sign)];
    return h("button", { class: "button is-small", type: "button", "aria-label": name, title: name, onclick: () => by(act) }, sign);
  });
  return h("div", { class: "row graph-buttons", role: "group", "aria-label": t("model.graph.size") }, buttons);
}
