// Messages as a thread keeps them, told as the events of the run that they came from.

/** @typedef {Record<string, any>} Event an event of AG-UI: docs/conversations.md */
/** @typedef {{role: string, parts: Record<string, any>[], run_id: string, id: string}} Message */

/**
 * The turns of a thread: what was said, and what came of it.
 * @param {Message[]} messages
 * @returns {{message: string, runId: string, events: Event[], hasWords: boolean, isCut: boolean}[]}
 */
export function turnsOf(messages) {
  /** @type {ReturnType<typeof turnsOf>} */
  const turns = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === "user") {
      const text = message.parts.filter((part) => part.type === "text").map((part) => part.text).join("");
      turns.push({ message: text, runId: message.run_id, events: [], hasWords: false, isCut: false });
    } else if (last) {
      last.events.push(...message.parts.flatMap((part, at) => eventsOf(part, `${message.id}-${at}`)));
      const words = message.parts.filter((part) => part.type === "text" && part.text);
      last.hasWords ||= message.role === "assistant" && words.length > 0;
      last.isCut ||= words.some((part) => part.is_cut);
    }
  }
  return turns;
}

/** @param {Record<string, any>} part @param {string} id @returns {Event[]} */
function eventsOf(part, id) {
  const { type, call_id: toolCallId, ...value } = part;
  switch (type) {
    case "text":
      return ["CONTENT", "END"].map((end) => ({ type: `TEXT_MESSAGE_${end}`, messageId: id, delta: part.text }));
    case "tool_call":
      return ["START", "ARGS"].map((end) => ({ type: `TOOL_CALL_${end}`, toolCallId: part.id, toolCallName: part.tool, delta: JSON.stringify(part.arguments ?? {}) }));
    case "tool_result":
      return [{ type: "TOOL_CALL_RESULT", toolCallId: part.id, toolCallName: part.tool, content: part.content }];
    case "citation":
      return [{ type: "CUSTOM", name: "askwell.citations", value: [value] }];
    default:
      return [{ type: "CUSTOM", name: `askwell.${type}`, value: { toolCallId, ...value } }];
  }
}
