// Figures, moments and letters as the table shows them and as copies have them.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.js";

const { cellText, oneValue, withoutNoise } = await import("../../../src/askwell/web/page/lib/format.js");
const { csv, markdown, tsv } = await import("../../../src/askwell/web/page/parts/table/copying.js");

const DOUBLE = { name: "total", type: "DOUBLE" };
const TEXT = { name: "note", type: "VARCHAR" };

// [value, column, what the table shows]
const SHOWN = [
  [598.4799999999999 + 0.1, DOUBLE, "598.58"],
  [100 * 0.3702540679417642, DOUBLE, "37.0254"],
  [52.520008, DOUBLE, "52.520008"],
  [0.00012345678, DOUBLE, "0.0001235"],
  [-1.5, DOUBLE, "-1.5"],
  [1.7976931348623157e308, DOUBLE, "1.7976931348623157e+308"],
  ["9007199254740993", { name: "n", type: "BIGINT" }, "9,007,199,254,740,993"],
  ["12.50", { name: "price", type: "DECIMAL(10,2)" }, "12.50"],
  [10248, { name: "OrderID", type: "INTEGER" }, "10248"],
  [2026, { name: "order_year", type: "INTEGER" }, "2026"],
  [10248, { name: "orders", type: "INTEGER" }, "10,248"],
  [null, DOUBLE, ""],
  [[1, "a"], TEXT, '[1,"a"]'],
  ["2024-01-01T12:00:00.100Z", TEXT, "2024-01-01 12:00:00.100Z"],
  ["2024-01-01T12:00:00+05:00", TEXT, "2024-01-01 12:00:00+05:00"],
  ["2024-01-01T00:00:00", TEXT, "2024-01-01"],
  ["2024-01-01T00:00:00Z", TEXT, "2024-01-01 00:00:00Z"],
  ["x\u202e12345", TEXT, "x\u2039U+202E\u203a12345"],
  ["pay\u200bpal", TEXT, "pay\u2039U+200B\u203apal"],
  ["1\ufeff2", TEXT, "1\u2039U+FEFF\u203a2"],
  ["x\u200dy", TEXT, "x\u2039U+200D\u203ay"],
  ["\u0645\u06cc\u200c\u062e", TEXT, "\u0645\u06cc\u200c\u062e"],
  ["\u{1f469}\u200d\u{1f4bb}", TEXT, "\u{1f469}\u200d\u{1f4bb}"],
];

test("a cell is shown without noise and with nothing unseen", () => {
  for (const [value, column, shown] of SHOWN) assert.equal(cellText(value, column), shown, String(value));
});

test("a copied figure has all its digits but the noise", () => {
  assert.equal(withoutNoise(598.4799999999999 + 0.1, DOUBLE), 598.58);
  assert.equal(withoutNoise(27861.894999999997, DOUBLE), 27861.895);
  assert.equal(withoutNoise(1 / 3, DOUBLE), 1 / 3);
  assert.equal(withoutNoise(0.1 + 0.2, TEXT), 0.1 + 0.2);
});

test("one short value is a figure, anything else is a table", () => {
  assert.equal(oneValue({ columns: [DOUBLE], rows: [[1234.5]] }), "1,234.5");
  assert.equal(oneValue({ columns: [TEXT], rows: [["x".repeat(61)]] }), null);
  assert.equal(oneValue({ columns: [DOUBLE], rows: [[1], [2]] }), null);
});

test("nothing that is copied runs in a spreadsheet", () => {
  const row = ["=1+1", "-5.25", "x;@y", "-- a note", "-2+3", -3, "a\tb\nc"];
  assert.equal(tsv([row]), "'=1+1\t-5.25\tx;'@y\t-- a note\t'-2+3\t-3\ta b c");
  assert.equal(csv([["a,b", 'c"d', "=x"]]), '"a,b","c""d",\'=x');
});

test("what is copied as Markdown is text where it is pasted", () => {
  const row = ["[click](javascript:x)", "<img src=x>", "`a` | *b* \nc", "plain 1.5"];
  const [, , line] = markdown(["a", "b", "c", "d"], [row]).split("\n");
  assert.equal(line, String.raw`| \[click\](javascript:x) | \<img src=x\> | \`a\` \| \*b\* c | plain 1.5 |`);
});
