// Markdown of language models: what it becomes, that nothing of it is markup, and that its time grows with its length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { markupOf } from "./browser.js";

const { markdown } = await import("../../../src/askwell/web/page/lib/markdown.js");

const WRITTEN = {
  "One\nline.\n\nAnother.": "<p>One\nline.</p><p>Another.</p>",
  "## A *heading* ##": "<p>A <em>heading</em></p>",
  "**bold _both_** and ***all***": "<p><strong>bold <em>both</em></strong> and <strong><em>all</em></strong></p>",
  "2 * 3 * 4, snake_case_name, ** no": "<p>2 * 3 * 4, snake_case_name, ** no</p>",
  "*open **marks": "<p>*open **marks</p>",
  "`a*b*` ``c`d`` `open": "<p><code>a*b*</code> <code>c`d</code> `open</p>",
  "\\*no\\* \\[x\\]": "<p>*no* [x]</p>",
  "- one\n- two\n  - *deep*\n\n  more\n- three":
    "<ul><li>one</li><li>two<ul><li><em>deep</em></li></ul><p>more</p></li><li>three</li></ul>",
  "3. three\n4. four": '<ol start="3"><li>three</li><li>four</li></ol>',
  "> said\n> so": "<blockquote><p>said\nso</p></blockquote>",
  "```sql\nSELECT '<b>' -- *x*\n```": "<pre><code>SELECT '&lt;b&gt;' -- *x*</code></pre>",
  "| a | b |\n|---|--:|\n| 1 | x\\|y |\n| 2 |":
    "<div><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>x|y</td></tr><tr><td>2</td><td></td></tr></tbody></table></div>",
  "a | b": "<p>a | b</p>",
  "[text](https://a.example/b_(c)?d=1) [1]": '<p><a href="https://a.example/b_(c)?d=1">text</a> [1]</p>',
  "See https://a.example/x_y_z.": '<p>See <a href="https://a.example/x_y_z">https://a.example/x_y_z</a>.</p>',
  "[[a](https://b.example) c](https://d.example)":
    '<p>[<a href="https://b.example">a</a> c](<a href="https://d.example">https://d.example</a>)</p>',
  "[x](javascript:alert(1)) [y](data:text/html,1) [z](//e)": "<p>[x](javascript:alert(1)) [y](data:text/html,1) [z](//e)</p>",
  "![seen](https://a.example/p.png)": '<p>!<a href="https://a.example/p.png">seen</a></p>',
  "<img src=x onerror=alert(1)>": "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
};
// What takes readers of Markdown long that look for the end of each mark anew.
const LONG = ["*a ", "**a*", "[", "[a](", "```a`", "_a_*b", "> ", "- ", "| a ", "](https://a", "\\", "~~a", `${" ".repeat(50)}-`, "1. a\n"];

for (const [written, shown] of Object.entries(WRITTEN)) {
  test(`Markdown becomes elements: ${JSON.stringify(written)}`, () => assert.equal(markupOf(markdown(written)), shown));
}

test("the time of Markdown grows with its length", () => {
  const time = (text) => {
    const began = process.cpuUsage(); // others' work on the machine is not its time
    markdown(text);
    return process.cpuUsage(began).user / 1_000;
  };
  for (const piece of LONG.flatMap((one) => [one, `${one}\n`])) {
    const short = Math.min(time(piece.repeat(200)), time(piece.repeat(200)));
    const long = Math.min(time(piece.repeat(1_600)), time(piece.repeat(1_600)));
    // Eight times the length would be 64 times the time where each mark looks for its end.
    assert.ok(long < 32 * Math.max(short, 5), `${JSON.stringify(piece)}: ${short} ms, ${long} ms`);
  }
});
