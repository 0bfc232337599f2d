// Where the boxes of a graph stand: in layers from the many side of joins to the one side, with few crossings, and the
// same way each time.

/** @typedef {{id: string, width: number, height: number}} Box */
/** @typedef {{from: string, to: string}} Link the many side, and the one side */
/** @typedef {{x: number, y: number, width: number, height: number}} Place the corner where it begins */
/** @typedef {{places: Map<string, Place>, ways: {x: number, y: number}[][], width: number, height: number}} Laid `ways` are the points that each link passes between its ends, in the order of the links */

// A box, or a place in a layer by which a longer link passes.
/** @typedef {{id: string, width: number, height: number, layer: number, y: number, before: Node[], after: Node[]}} Node */

const GAP_X = 72;
const GAP_Y = 22;
const SWEEPS = 12;
const PASSING = 10;
// Wider grids than this are harder to read than longer ones.
const GRID_WIDTH = 900;

/**
 * Boxes with links between them, and the boxes that have none as a grid below. Each step is short.
 * @param {Box[]} boxes @param {Link[]} links links of a box to itself are none
 * @returns {Generator<void, Laid>}
 */
export function* laidOut(boxes, links) {
  const linked = new Set(links.flatMap((link) => (link.from === link.to ? [] : [link.from, link.to])));
  /** @type {Map<string, Node>} */
  const nodes = new Map(boxes.filter((box) => linked.has(box.id)).map((box) => [box.id, { ...box, layer: 0, y: 0, before: [], after: [] }]));
  const forward = withoutCircles([...nodes.keys()], links);
  yield;
  layered(nodes, forward);
  yield;
  const { layers, chains } = withPassing(nodes, forward);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    ordered(layers, sweep % 2 === 0);
    yield;
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    aligned(layers, sweep % 2 === 0);
    yield;
  }
  return placed(boxes, layers, links.map((_, at) => chains.get(at) ?? []));
}

/**
 * Links by their place in the list, turned around where they would close a circle.
 * @param {string[]} ids @param {Link[]} links
 * @returns {{at: number, from: string, to: string}[]}
 */
function withoutCircles(ids, links) {
  /** @type {Map<string, {at: number, from: string, to: string}[]>} */
  const leaving = new Map(ids.map((id) => [id, []]));
  links.forEach((link, at) => link.from !== link.to && leaving.get(link.from)?.push({ at, ...link }));
  /** @type {Map<string, "open" | "done">} */
  const state = new Map();
  /** @type {{at: number, from: string, to: string}[]} */
  const found = [];
  /** @param {string} id */
  function visit(id) {
    state.set(id, "open");
    for (const link of leaving.get(id) ?? []) {
      const isBack = state.get(link.to) === "open";
      found.push(isBack ? { at: link.at, from: link.to, to: link.from } : link);
      if (!state.has(link.to)) visit(link.to);
    }
    state.set(id, "done");
  }
  for (const id of ids) if (!state.has(id)) visit(id);
  return found;
}

/**
 * Layers: every link leads to a later one, no layer is much higher than the others, and what could stand nearer to
 * what it leads to does.
 * @param {Map<string, Node>} nodes @param {{from: string, to: string}[]} links
 */
function layered(nodes, links) {
  const most = Math.max(5, Math.ceil(Math.sqrt(nodes.size) * 1.3));
  const { nexts, previous } = neighbours(nodes, links);
  const open = new Map([...nexts].map(([id, all]) => [id, all.length]));
  /** @type {number[]} how many boxes a layer has, counted from the one side */
  const filled = [];
  const ready = [...nodes.keys()].filter((id) => open.get(id) === 0);
  for (const id of ready) {
    const node = /** @type {Node} */ (nodes.get(id));
    node.layer = Math.max(0, ...of(nexts, id).map((one) => one.layer + 1));
    while (filled[node.layer] >= most) node.layer += 1;
    filled[node.layer] = (filled[node.layer] ?? 0) + 1;
    for (const { id: from } of of(previous, id)) {
      open.set(from, Number(open.get(from)) - 1);
      if (open.get(from) === 0) ready.push(from);
    }
  }
  for (const node of nodes.values()) node.layer = filled.length - 1 - node.layer;
}

/** What each box leads to, and what leads to it. @param {Map<string, Node>} nodes @param {{from: string, to: string}[]} links */
function neighbours(nodes, links) {
  const nexts = new Map([...nodes.keys()].map((id) => [id, /** @type {Node[]} */ ([])]));
  const previous = new Map([...nodes.keys()].map((id) => [id, /** @type {Node[]} */ ([])]));
  for (const { from, to } of links) {
    of(nexts, from).push(/** @type {Node} */ (nodes.get(to)));
    of(previous, to).push(/** @type {Node} */ (nodes.get(from)));
  }
  return { nexts, previous };
}

/** @param {Map<string, Node[]>} map @param {string} id */
function of(map, id) {
  return map.get(id) ?? [];
}

/**
 * The layers with what passes them, and for each link what of that is its own.
 * @param {Map<string, Node>} nodes @param {{at: number, from: string, to: string}[]} links
 */
function withPassing(nodes, links) {
  /** @type {Node[][]} */
  const layers = [];
  const put = (/** @type {Node} */ node) => (layers[node.layer] ??= []).push(node);
  nodes.forEach(put);
  /** @type {Map<number, Node[]>} */
  const chains = new Map();
  for (const { at, from, to } of links) {
    const end = /** @type {Node} */ (nodes.get(to));
    let last = /** @type {Node} */ (nodes.get(from));
    const chain = [];
    for (let layer = last.layer + 1; layer < end.layer; layer += 1) {
      /** @type {Node} */
      const passing = { id: "", width: 0, height: PASSING, layer, y: 0, before: [], after: [] };
      put(passing);
      chain.push(passing);
      joined(last, passing);
      last = passing;
    }
    joined(last, end);
    chains.set(at, chain);
  }
  return { layers: layers.filter(Boolean), chains };
}

/** @param {Node} first @param {Node} second */
function joined(first, second) {
  first.after.push(second);
  second.before.push(first);
}

/** Order each layer by the middle of what its boxes lead to, layer by layer. @param {Node[][]} layers @param {boolean} isForward */
function ordered(layers, isForward) {
  const turn = isForward ? layers : [...layers].reverse();
  turn.forEach((layer, place) => {
    if (place > 0) {
      const at = new Map(turn[place - 1].map((node, index) => [node, index / turn[place - 1].length]));
      const wanted = new Map(layer.map((node, index) => [node, middle((isForward ? node.before : node.after).map((one) => at.get(one) ?? 0)) ?? index / layer.length]));
      layer.sort((a, b) => Number(wanted.get(a)) - Number(wanted.get(b)));
    }
    stacked(layer);
  });
}

/** The median, the mean of the two in the middle; null of none. @param {number[]} values */
function middle(values) {
  if (!values.length) return null;
  const all = [...values].sort((a, b) => a - b);
  const half = all.length / 2;
  return (all[Math.ceil(half) - 1] + all[Math.floor(half)]) / 2;
}

/** @param {Node[]} layer */
function stacked(layer) {
  let y = 0;
  for (const node of layer) {
    node.y = y;
    y += node.height + GAP_Y;
  }
}

/** Move each box to the height of what it leads to, as far as its neighbours let it. @param {Node[][]} layers @param {boolean} isForward */
function aligned(layers, isForward) {
  for (const layer of isForward ? layers : [...layers].reverse()) {
    const wanted = layer.map((node) => {
      const towards = isForward ? node.before : node.after;
      const all = towards.length ? towards : [...node.before, ...node.after];
      const sum = all.reduce((total, one) => total + one.y + one.height / 2, 0);
      return all.length ? sum / all.length - node.height / 2 : node.y;
    });
    spread(layer, wanted);
  }
}

/**
 * Places in order, without overlaps, as near to what is wanted as can be: neighbours that would overlap become a block
 * that stands where its parts want it on average.
 * @param {Node[]} layer @param {number[]} wanted
 */
function spread(layer, wanted) {
  /** @type {{sum: number, count: number, begin: number}[]} */
  const blocks = [];
  /** @type {number[]} */
  const offsets = [];
  let offset = 0;
  layer.forEach((node, at) => {
    offsets.push(offset);
    let block = { sum: wanted[at] - offset, count: 1, begin: at };
    for (let before = blocks.at(-1); before && before.sum / before.count > block.sum / block.count; before = blocks.at(-1)) {
      block = { sum: before.sum + block.sum, count: before.count + block.count, begin: before.begin };
      blocks.pop();
    }
    blocks.push(block);
    offset += node.height + GAP_Y;
  });
  for (const { sum, count, begin } of blocks) {
    for (let at = begin; at < begin + count; at += 1) layer[at].y = sum / count + offsets[at];
  }
}

/** @param {Box[]} boxes @param {Node[][]} layers @param {Node[][]} chains @returns {Laid} */
function placed(boxes, layers, chains) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  const top = Math.min(0, ...layers.flat().map((node) => node.y));
  /** @type {number[]} */
  const begins = [];
  /** @type {number[]} */
  const widths = [];
  let [width, height] = [0, 0];
  for (const layer of layers) {
    begins.push(width);
    for (const node of layer) {
      if (node.id) places.set(node.id, { x: width, y: node.y - top, width: node.width, height: node.height });
      height = Math.max(height, node.y - top + node.height);
    }
    widths.push(Math.max(...layer.map((node) => node.width)));
    width += widths[widths.length - 1] + GAP_X;
  }
  const index = new Map(layers.flatMap((layer, at) => layer.map((node) => [node, at])));
  // Straight beside the boxes of a layer, so that no curve reaches into one.
  const ways = chains.map((chain) =>
    chain.flatMap((node) => {
      const at = index.get(node) ?? 0;
      const y = node.y - top + PASSING / 2;
      return [{ x: begins[at], y }, { x: begins[at] + widths[at], y }];
    }),
  );
  const free = boxes.filter((box) => !places.has(box.id));
  const below = grid(free, height ? height + 2 * GAP_Y : 0, Math.max(width - GAP_X, GRID_WIDTH));
  below.places.forEach((place, id) => places.set(id, place));
  return { places, ways, width: Math.max(width - GAP_X, below.width), height: Math.max(height, below.height) };
}

/** @param {Box[]} boxes @param {number} top @param {number} most */
function grid(boxes, top, most) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  let [x, y, line, width] = [0, top, 0, 0];
  for (const box of boxes) {
    if (x > 0 && x + box.width > most) [x, y, line] = [0, y + line + GAP_Y, 0];
    places.set(box.id, { x, y, width: box.width, height: box.height });
    line = Math.max(line, box.height);
    x += box.width + GAP_Y;
    width = Math.max(width, x - GAP_Y);
  }
  return { places, width, height: boxes.length ? y + line : 0 };
}
