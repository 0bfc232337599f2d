// Addresses, SQL for the eye, slices of work, and rows in order.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.js";

const { addressOf, placeOf } = await import("../../../src/askwell/web/page/lib/router.js");
const { formatted, sqlTokens } = await import("../../../src/askwell/web/page/lib/sql-tokens.js");
const { h } = await import("../../../src/askwell/web/page/lib/dom.js");
const { sliced } = await import("../../../src/askwell/web/page/lib/slices.js");
const { isAbort, ServiceError } = await import("../../../src/askwell/web/page/lib/errors.js");

test("a place has an address that leads to it", () => {
  assert.equal(addressOf("a/b", "ask", "q 1?"), "#/a%2Fb/ask/q%201%3F");
  assert.deepEqual(placeOf("#/a%2Fb/ask/q%201%3F"), { project: "a/b", view: "ask", rest: ["q 1?"] });
  assert.deepEqual(placeOf(""), { project: "", view: "ask", rest: [] });
  assert.deepEqual(placeOf("#/%"), { project: "%", view: "ask", rest: [] });
});

test("SQL in pieces is all of it, each of its kind", () => {
  const sql = "SELECT t.from, 'it''s', 1.5e3 FROM \"a b\" -- end\n/* x */ WHERE `c` = [d e]";
  const pieces = sqlTokens(sql);
  assert.equal(pieces.map((one) => one.text).join(""), sql);
  const kinds = Object.fromEntries(pieces.map((one) => [one.text, one.kind]));
  const wanted = { SELECT: "keyword", from: "other", "'it''s'": "text", "1.5e3": "number", '"a b"': "name", "-- end": "comment" };
  for (const [text, kind] of Object.entries(wanted)) assert.equal(kinds[text], kind, text);
});

test("SQL stands on lines by its clauses", () => {
  assert.equal(formatted("SELECT a FROM b LEFT JOIN c ON d WHERE e GROUP BY f"), "SELECT a\nFROM b\nLEFT JOIN c ON d\nWHERE e\nGROUP BY f");
  assert.equal(formatted("SELECT a FROM (SELECT b FROM c) AS d"), "SELECT a\nFROM (SELECT b\n  FROM c) AS d");
  assert.equal(formatted("SELECT EXTRACT(YEAR FROM x) FROM b"), "SELECT EXTRACT(YEAR FROM x)\nFROM b");
  assert.equal(formatted("SELECT 'a FROM b'"), "SELECT 'a FROM b'");
  assert.equal(formatted(" SELECT a\nFROM b "), "SELECT a\nFROM b");
});

test("long work ends with its result, or by its signal", async () => {
  function* steps() {
    for (let at = 0; at < 1000; at += 1) yield at;
    return "all";
  }
  assert.equal(await sliced(steps()), "all");
  const over = AbortSignal.abort();
  await assert.rejects(sliced(steps(), over), isAbort);
});

test("an error says whether the service is away and whether to sign in", () => {
  assert.deepEqual([0, 503, 504, 500, 404].map((status) => new ServiceError(status, {}).isAway), [true, true, true, false, false]);
  assert.ok(new ServiceError(401, {}).isUnknownCaller);
  assert.equal(new ServiceError(0, {}).code, "NETWORK");
});

test("no value becomes code or an address that runs it", () => {
  for (const address of ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "//elsewhere.example", " javascript:x"])
    assert.equal(String(h("a", { href: address })), '<a href="#"></a>', address);
  for (const address of ["https://a.example/", "#/default/ask", "/v1/asks", "mailto:a@b.example"])
    assert.equal(String(h("a", { href: address })), `<a href="${address}"></a>`);
  for (const name of ["onclick", "srcdoc"]) assert.throws(() => h("div", { [name]: "alert(1)" }), TypeError);
  assert.equal(String(h("p", null, "<b>", 3, null, false, ["x"])), "<p>&lt;b&gt;3x</p>");
});
