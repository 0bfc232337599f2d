// What modules of the page find in a browser, as far as those that are tested here need it.

const NO_END = new Set(["hr", "br"]);
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

class Element {
  constructor(name) {
    this.localName = name;
    this.attributes = new Map();
    this.children = [];
    this.style = {};
    this.dataset = {};
  }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }

  append(...children) {
    this.children.push(...children);
  }

  get className() {
    return this.attributes.get("class") ?? "";
  }

  get childNodes() {
    return this.children;
  }

  /** Markup with the attributes that Markdown has. */
  toString() {
    const kept = [...this.attributes].filter(([name]) => name === "href" || name === "start");
    const opening = `<${this.localName}${kept.map(([name, value]) => ` ${name}="${value}"`).join("")}>`;
    return NO_END.has(this.localName) ? opening : `${opening}${markupOf(this.children)}</${this.localName}>`;
  }
}

/** The markup of elements and texts. */
export function markupOf(children) {
  return children.map((one) => (one instanceof Element ? String(one) : escaped(String(one)))).join("");
}

globalThis.Node ??= Element;
globalThis.HTMLElement ??= Element;
globalThis.document ??= { createElement: (name) => new Element(name), createElementNS: (_, name) => new Element(name) };
globalThis.navigator ??= { language: "en-US" };
