// What a chart is called for those who do not see it: its kind, what is shown by what, and how much.
import { t } from "../../lib/text.js";
import { unescaped } from "./controls.js";
import { titleOf } from "./fitting.js";

const KINDS = /** @type {const} */ ({ bar: "chart.bar", line: "chart.line", area: "chart.area", arc: "chart.pie" });

/** @param {Record<string, any>} schema @param {string} kind as the service calls it, "" where it does not @param {string} question */
export function nameOf(schema, kind, question) {
  const mark = /** @type {keyof typeof KINDS} */ (schema.mark?.type ?? schema.mark);
  const key = kind ? `chart.${kind}` : (KINDS[mark] ?? "tab.chart");
  const said = t("chart.label", { kind: t(/** @type {any} */ (key)), title: titleOf(schema) || question });
  return [said, amounts(schema), t("chart.label.table")].filter(Boolean).join(" ");
}

/** How many values are drawn, from which to which; "" where Vega puts them together. @param {Record<string, any>} schema */
function amounts({ encoding = {}, transform, data }) {
  const value = encoding.theta ?? [encoding.y, encoding.x].find((channel) => channel?.type === "quantitative");
  if (!value?.field || value.aggregate || transform) return "";
  const name = unescaped(value.field);
  const numbers = (data?.values ?? []).map((/** @type {any} */ row) => row[name]).filter((/** @type {unknown} */ one) => typeof one === "number");
  if (numbers.length === 0) return "";
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return t("chart.label.values", { count: numbers.length, low, high });
}
