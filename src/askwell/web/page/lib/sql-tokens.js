// SQL cut into pieces, for the eye: what is a keyword, a text, a number. Whatever dialect it is in, all of it comes back.

/** @typedef {{kind: "keyword" | "text" | "name" | "number" | "comment" | "other" | "space", text: string}} Token */

const KEYWORDS = new Set(
  `ALL AND ANY AS ASC BETWEEN BY CASE CAST CROSS DESC DISTINCT ELSE END ESCAPE EXCEPT EXISTS FALSE FETCH FILTER FIRST
  FOLLOWING FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT INTERVAL IS JOIN LAST LATERAL LEFT LIKE LIMIT NATURAL NOT
  NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PRECEDING QUALIFY RANGE RECURSIVE RIGHT ROW ROWS SELECT SIMILAR
  THEN TIES TO TRUE UNBOUNDED UNION USING VALUES WHEN WHERE WINDOW WITH WITHIN`.split(/\s+/),
);
// One alternative each, none of which can match the same text in two ways.
const PIECES =
  /(--[^\n]*|\/\*[^]*?(?:\*\/|$))|('(?:[^'\\]|''|\\[^])*(?:'|$))|("(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\[[A-Za-z_][^\]\n]*\])|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_$]*)|(\s+)|([^])/gu;

/** @param {string} sql @returns {Token[]} */
export function sqlTokens(sql) {
  /** @type {Token[]} */
  const found = [];
  for (const [text, comment, quoted, name, number, word, space] of sql.matchAll(PIECES)) {
    const kinds = /** @type {const} */ ([[comment, "comment"], [quoted, "text"], [name, "name"], [number, "number"], [space, "space"]]);
    const plain = kinds.find(([matched]) => matched !== undefined)?.[1] ?? "other";
    found.push({ kind: word === undefined ? plain : kindOf(word, found), text });
  }
  return found;
}

/** @param {string} word @param {Token[]} before @returns {Token["kind"]} */
function kindOf(word, before) {
  if (before.at(-1)?.text === ".") return "other";
  return KEYWORDS.has(word.toUpperCase()) ? "keyword" : "other";
}

const ON_LINES = /^(SELECT|FROM|WHERE|GROUP|ORDER|HAVING|LIMIT|UNION|EXCEPT|INTERSECT|WINDOW|QUALIFY|OFFSET)$/i;
const JOINS = /^(JOIN|LEFT|RIGHT|FULL|INNER|CROSS|NATURAL)$/i;

/**
 * SQL on lines by its clauses. Nothing but white space changes, and none in texts, names and comments; what has lines
 * already stays as it is.
 * @param {string} sql
 */
export function formatted(sql) {
  if (sql.trim().includes("\n")) return sql.trim();
  const tokens = sqlTokens(sql.trim());
  // How deep in brackets a place is, and which of these hold a statement of their own.
  let depth = 0;
  const statements = [0];
  /** @type {string[]} */
  const lines = [];
  let [line, previous] = ["", ""];
  tokens.forEach((token, at) => {
    const following = next(tokens, at);
    if (token.text === "(") {
      depth += 1;
      if (/^(SELECT|WITH)$/i.test(following)) statements.push(depth);
    } else if (token.text === ")") {
      if (depth > 0 && statements.at(-1) === depth) statements.pop();
      depth -= 1;
    }
    if (previous && token.kind === "keyword" && statements.at(-1) === depth && beginsLine(token.text, previous, following)) {
      lines.push(line.trimEnd());
      line = "  ".repeat(statements.length - 1);
    }
    line += token.text;
    if (token.kind !== "space") previous = token.text;
  });
  return [...lines, line].join("\n");
}

/** The piece behind the next white space. @param {Token[]} tokens @param {number} at */
function next(tokens, at) {
  const piece = tokens[at + 1]?.kind === "space" ? tokens[at + 2] : tokens[at + 1];
  return piece?.text ?? "";
}

/** @param {string} word @param {string} previous @param {string} following */
function beginsLine(word, previous, following) {
  if (JOINS.test(word)) return following !== "(" && !JOINS.test(previous) && !/^OUTER$/i.test(previous);
  return ON_LINES.test(word) && !/^(DISTINCT|\(|BY|WITHIN)$/i.test(previous);
}
