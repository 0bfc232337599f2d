// Where the boxes of a graph stand: in layers from the many side of joins to the one side, with few crossings, and the
// same way each time. There are a few dozen at most.

/** @typedef {{id: string, width: number, height: number}} Box */
/** @typedef {{from: string, to: string}} Link the many side, and the one side */
/** @typedef {{at: number, from: string, to: string}} Numbered a link by its place in the list */
/** @typedef {{x: number, y: number, width: number, height: number}} Place the corner where it begins */
/** @typedef {{places: Map<string, Place>, ways: {x: number, y: number}[][], width: number, height: number}} Laid `ways` are the points that each link passes between its ends, in the order of the links */

// A box, or a place in a layer by which a longer link passes.
/** @typedef {{id: string, width: number, height: number, layer: number, y: number, before: Node[], after: Node[]}} Node */

const GAP_X = 72;
const GAP_Y = 22;
const SWEEPS = 12;
const PASSING = 10;

/** @param {Box[]} boxes @param {Link[]} links links of a box to itself are none @returns {Laid} */
export function laidOut(boxes, links) {
  /** @type {Map<string, Node>} */
  const nodes = new Map(boxes.map((box) => [box.id, { ...box, layer: 0, y: 0, before: [], after: [] }]));
  const forward = withoutCircles([...nodes.keys()], links);
  layered(nodes, forward);
  const { layers, chains } = withPassing(nodes, forward);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) ordered(layers, sweep % 2 === 0);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) aligned(layers, sweep % 2 === 0);
  return placed(layers, links.map((_, at) => chains.get(at) ?? []));
}

/** Links, turned around where they would close a circle. @param {string[]} ids @param {Link[]} links @returns {Numbered[]} */
function withoutCircles(ids, links) {
  const all = links.map((link, at) => ({ ...link, at })).filter(({ from, to }) => from !== to);
  /** @type {Map<string, "open" | "done">} */
  const state = new Map();
  /** @type {Numbered[]} */
  const found = [];
  /** @param {string} id */
  function visit(id) {
    if (state.has(id)) return;
    state.set(id, "open");
    for (const link of all.filter(({ from }) => from === id)) {
      found.push(state.get(link.to) === "open" ? { at: link.at, from: link.to, to: link.from } : link);
      visit(link.to);
    }
    state.set(id, "done");
  }
  ids.forEach(visit);
  return found;
}

/**
 * Layers: every link leads to a later one, no layer is much higher than the others, and what could stand nearer to
 * what it leads to does.
 * @param {Map<string, Node>} nodes @param {Numbered[]} links
 */
function layered(nodes, links) {
  const most = Math.max(5, Math.ceil(Math.sqrt(nodes.size) * 1.3));
  /** @type {number[]} how many boxes a layer has, counted from the one side */
  const filled = [];
  const open = new Set(nodes.keys());
  for (let ready = ""; open.size > 0; open.delete(ready)) {
    ready = /** @type {string} */ ([...open].find((id) => links.every(({ from, to }) => from !== id || !open.has(to))));
    const node = /** @type {Node} */ (nodes.get(ready));
    node.layer = Math.max(0, ...links.filter(({ from }) => from === ready).map(({ to }) => Number(nodes.get(to)?.layer) + 1));
    while (filled[node.layer] >= most) node.layer += 1;
    filled[node.layer] = (filled[node.layer] ?? 0) + 1;
  }
  for (const node of nodes.values()) node.layer = filled.length - 1 - node.layer;
}

/**
 * The layers with what passes them, and for each link what of that is its own.
 * @param {Map<string, Node>} nodes @param {Numbered[]} links
 */
function withPassing(nodes, links) {
  /** @type {Node[][]} */
  const layers = [];
  const put = (/** @type {Node} */ node) => (layers[node.layer] ??= []).push(node);
  nodes.forEach(put);
  /** @type {Map<number, Node[]>} */
  const chains = new Map();
  for (const { at, from, to } of links) {
    const [first, last] = [from, to].map((id) => /** @type {Node} */ (nodes.get(id)));
    const chain = Array.from({ length: last.layer - first.layer - 1 }, (_, step) => {
      return /** @type {Node} */ ({ id: "", width: 0, height: PASSING, layer: first.layer + step + 1, y: 0, before: [], after: [] });
    });
    chain.forEach(put);
    chains.set(at, chain);
    [...chain, last].reduce((before, after) => {
      before.after.push(after);
      after.before.push(before);
      return after;
    }, first);
  }
  return { layers: layers.filter(Boolean), chains };
}

/** Order each layer by the middle of what its boxes lead to, layer by layer. @param {Node[][]} layers @param {boolean} isForward */
function ordered(layers, isForward) {
  const turn = isForward ? layers : layers.toReversed();
  turn.forEach((layer, place) => {
    const at = new Map(turn[place - 1]?.map((node, index, all) => [node, index / all.length]));
    const wanted = new Map(layer.map((node, index) => [node, middle((isForward ? node.before : node.after).map((one) => at.get(one) ?? 0)) ?? index / layer.length]));
    if (place > 0) layer.sort((a, b) => Number(wanted.get(a)) - Number(wanted.get(b)));
    spread(layer, layer.map(() => 0));
  });
}

/** The median, the mean of the two in the middle; null of none. @param {number[]} values */
function middle(values) {
  const all = values.toSorted((a, b) => a - b);
  const half = all.length / 2;
  return half ? (all[Math.ceil(half) - 1] + all[Math.floor(half)]) / 2 : null;
}

/** Move each box to the height of what it leads to, as far as its neighbours let it. @param {Node[][]} layers @param {boolean} isForward */
function aligned(layers, isForward) {
  for (const layer of isForward ? layers : layers.toReversed()) {
    spread(layer, layer.map((node) => {
      const towards = isForward ? node.before : node.after;
      const all = towards.length ? towards : [...node.before, ...node.after];
      const sum = all.reduce((total, one) => total + one.y + one.height / 2, 0);
      return all.length ? sum / all.length - node.height / 2 : node.y;
    }));
  }
}

/**
 * Places in order, without overlaps, as near to what is wanted as can be: neighbours that would overlap become a block
 * that stands where its parts want it on average.
 * @param {Node[]} layer @param {number[]} wanted
 */
function spread(layer, wanted) {
  /** @type {{sum: number, nodes: {node: Node, offset: number}[]}[]} */
  const blocks = [];
  let offset = 0;
  layer.forEach((node, at) => {
    let block = { sum: wanted[at] - offset, nodes: [{ node, offset }] };
    for (let last = blocks.at(-1); last && last.sum / last.nodes.length > block.sum / block.nodes.length; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, nodes: [...last.nodes, ...block.nodes] };
      blocks.pop();
    }
    blocks.push(block);
    offset += node.height + GAP_Y;
  });
  for (const { sum, nodes } of blocks) for (const one of nodes) one.node.y = sum / nodes.length + one.offset;
}

/** @param {Node[][]} layers @param {Node[][]} chains @returns {Laid} */
function placed(layers, chains) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  const all = layers.flat();
  const top = Math.min(0, ...all.map((node) => node.y));
  let begin = 0;
  const spans = layers.map((layer) => {
    const span = { begin, end: begin + Math.max(...layer.map((node) => node.width)) };
    begin = span.end + GAP_X;
    for (const { id, y, width, height } of layer) if (id) places.set(id, { x: span.begin, y: y - top, width, height });
    return span;
  });
  // Straight beside the boxes of a layer, so that no curve reaches into one.
  const ways = chains.map((chain) => chain.flatMap((node) => {
    const span = spans[layers.findIndex((layer) => layer.includes(node))];
    return [span.begin, span.end].map((x) => ({ x, y: node.y - top + PASSING / 2 }));
  }));
  return { places, ways, width: begin - GAP_X, height: Math.max(...all.map((node) => node.y + node.height)) - top };
}
