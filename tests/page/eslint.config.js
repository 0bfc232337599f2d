// Rules for the modules of the page. What data could become markup or code by is refused everywhere.
const WAYS_TO_MARKUP = ["innerHTML", "outerHTML", "insertAdjacentHTML", "srcdoc", "cssText"];

export default [
  {
    files: ["**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: true },
    rules: {
      complexity: ["error", 12],
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-script-url": "error",
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "no-unused-vars": "error",
      "no-shadow": "error",
      "no-restricted-properties": ["error", ...WAYS_TO_MARKUP.map((property) => ({ property, message: "Text becomes text: see lib/dom.js." })), { object: "document", property: "write" }],
      "no-restricted-syntax": [
        "error",
        ...WAYS_TO_MARKUP.map((name) => ({ selector: `AssignmentExpression > MemberExpression[property.name='${name}']`, message: "Text becomes text: see lib/dom.js." })),
      ],
    },
  },
  // The words of the page stand in one file, to be translated.
  { files: ["**/texts/*.js"], rules: { "max-lines": "off" } },
];
