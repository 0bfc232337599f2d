// A picture that is moved and made larger by pointer, wheel, buttons and keys.
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";

const SCALES = [0.15, 3];
const STEP = 60;
const FACTOR = 1.25;

export class PanZoom {
  /**
   * @param {HTMLElement} view what shows the picture @param {SVGElement} root what moves in it
   * @param {object} given
   * @param {{width: number, height: number}} given.size of the picture
   * @param {{x: number, y: number, width: number, height: number} | null} given.focus what is looked at
   * @param {number} given.margin
   * @param {number} given.least the scale below which it cannot be read: where all of it would be smaller, some is shown
   * @param {(width: number) => number} given.heightFor how high the view is, by its width
   */
  constructor(view, root, { size, focus, margin, least, heightFor }) {
    this.view = view;
    this.root = root;
    this.size = size;
    this.focus = focus ?? { x: 0, y: 0, ...size };
    this.margin = margin;
    this.least = least;
    this.heightFor = heightFor;
    this.now = { scale: 1, x: 0, y: 0 };
    /** Whether the pointer dragged since it went down: what follows is no click. */
    this.hasMoved = false;
    this.isTouched = false;
    view.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    view.addEventListener("pointerdown", (event) => this.#down(event));
    view.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.isTouched || this.begin()).observe(view);
  }

  buttons() {
    const button = (/** @type {string} */ label, /** @type {string} */ name, /** @type {() => void} */ act) =>
      h("button", { class: "button is-small", type: "button", "aria-label": name, title: name, onclick: act }, label);
    return h(
      "div",
      { class: "row graph-buttons", role: "group", "aria-label": t("model.graph.size") },
      button("−", t("model.graph.smaller"), () => this.#zoom(1 / FACTOR)),
      button("+", t("model.graph.larger"), () => this.#zoom(FACTOR)),
      button("⤢", t("model.graph.fit"), () => this.fit()),
    );
  }

  /** As it is shown at first: all of it, or, where that could not be read, what is looked at with what is around it. */
  begin() {
    this.#show(Math.max(this.#whole(), this.least));
  }

  /** All of it, however small. */
  fit() {
    this.#show(Math.max(this.#whole(), SCALES[0]));
  }

  /** The scale at which all of it is in sight. */
  #whole() {
    const wanted = `${Math.round(this.heightFor(this.view.clientWidth))}px`;
    if (this.view.style.blockSize !== wanted) this.view.style.blockSize = wanted;
    const { clientWidth: width, clientHeight: height } = this.view;
    return Math.min(1, (width - 2 * this.margin) / this.size.width, (height - 2 * this.margin) / this.size.height);
  }

  /** @param {number} scale */
  #show(scale) {
    const { clientWidth: width, clientHeight: height } = this.view;
    if (!width) return;
    this.isTouched = false;
    const { x, y, width: wide, height: high } = this.focus;
    this.#put({ scale, x: this.#begins(width, this.size.width * scale, (x + wide / 2) * scale), y: this.#begins(height, this.size.height * scale, (y + high / 2) * scale) });
  }

  /**
   * Where the picture begins, so that what is looked at is in the middle and nothing is wasted beside the picture.
   * @param {number} room @param {number} size @param {number} middle
   */
  #begins(room, size, middle) {
    if (size <= room - 2 * this.margin) return (room - size) / 2;
    return Math.min(this.margin, Math.max(room - this.margin - size, room / 2 - middle));
  }

  /** @param {{scale: number, x: number, y: number}} now */
  #put(now) {
    this.now = now;
    this.root.setAttribute("transform", `translate(${now.x.toFixed(1)} ${now.y.toFixed(1)}) scale(${now.scale.toFixed(3)})`);
  }

  /** @param {number} factor @param {{x: number, y: number}} [at] what stays where it is */
  #zoom(factor, at = { x: this.view.clientWidth / 2, y: this.view.clientHeight / 2 }) {
    const { scale, x, y } = this.now;
    const next = Math.min(SCALES[1], Math.max(SCALES[0], scale * factor));
    this.isTouched = true;
    this.#put({ scale: next, x: at.x - ((at.x - x) * next) / scale, y: at.y - ((at.y - y) * next) / scale });
  }

  /** @param {number} x @param {number} y */
  #pan(x, y) {
    this.isTouched = true;
    this.#put({ ...this.now, x: this.now.x + x, y: this.now.y + y });
  }

  /** The wheel is for the page until somebody is at the picture. @param {WheelEvent} event */
  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== this.view) return;
    event.preventDefault();
    const { left, top } = this.view.getBoundingClientRect();
    this.#zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0018)), { x: event.clientX - left, y: event.clientY - top });
  }

  /** @param {PointerEvent} down */
  #down(down) {
    if (down.button !== 0) return;
    this.hasMoved = false;
    let last = { x: down.clientX, y: down.clientY };
    const ended = new AbortController();
    const { signal } = ended;
    this.view.addEventListener(
      "pointermove",
      (event) => {
        if (event.pointerId !== down.pointerId) return;
        const isFar = Math.abs(event.clientX - down.clientX) + Math.abs(event.clientY - down.clientY) > 4;
        if (!this.hasMoved && !isFar) return;
        if (!this.hasMoved) this.view.setPointerCapture(down.pointerId);
        this.hasMoved = true;
        this.#pan(event.clientX - last.x, event.clientY - last.y);
        last = { x: event.clientX, y: event.clientY };
      },
      { signal },
    );
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) this.view.addEventListener(name, () => ended.abort(), { signal });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = new Map([
      ["ArrowLeft", () => this.#pan(STEP, 0)],
      ["ArrowRight", () => this.#pan(-STEP, 0)],
      ["ArrowUp", () => this.#pan(0, STEP)],
      ["ArrowDown", () => this.#pan(0, -STEP)],
      ["+", () => this.#zoom(FACTOR)],
      ["=", () => this.#zoom(FACTOR)],
      ["-", () => this.#zoom(1 / FACTOR)],
      ["0", () => this.fit()],
    ]);
    const act = acts.get(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  }
}
