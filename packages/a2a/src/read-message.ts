import type { Message, SendMessageConfiguration } from "@a2a-js/sdk";
import type { Json } from "@swarmbase/sdk";
import { isRecord } from "swarmbase/extension";
import { ProtocolError } from "./faults.ts";

export interface ToolDecision {
  readonly tool_execution_id: string;
  readonly approved: boolean;
  readonly reason?: string;
}

export interface ToolResult {
  readonly tool_execution_id: string;
  readonly output?: Json;
  readonly error?: string;
}

/** What agents answer with, and the ranges that include it. `text` is what clients of earlier versions send. */
const OUTPUT_MODES: ReadonlySet<string> = new Set([
  "text/plain",
  "text/markdown",
  "application/json",
  "text",
  "text/*",
  "application/*",
  "*/*",
]);

export function requireOutputMode({ acceptedOutputModes: modes }: SendMessageConfiguration): void {
  if (modes.length === 0 || modes.some((mode) => OUTPUT_MODES.has(mode.toLowerCase()))) return;
  throw new ProtocolError("CONTENT_TYPE_NOT_SUPPORTED", "Agents answer with text/plain or application/json");
}

/** The text of a message. Agents read text, so data is sent to them as JSON. */
export function readText({ parts }: Message): string {
  const texts = parts.map(({ content }) => {
    switch (content?.$case) {
      case "text":
        return content.value;
      case "data":
        return JSON.stringify(content.value);
      case "raw":
      case "url":
        throw new ProtocolError("CONTENT_TYPE_NOT_SUPPORTED", "Agents read text and data, and no files");
      default:
        throw new ProtocolError("INVALID_PARAMS", "A part needs text or data");
    }
  });
  if (texts.length === 0) throw new ProtocolError("INVALID_PARAMS", "The message has no parts");
  return texts.join("\n\n");
}

/** The decisions and results in the data parts of a message to a task that waits. */
export function readInput({ parts }: Message): {
  readonly decisions: readonly ToolDecision[];
  readonly results: readonly ToolResult[];
} {
  const list = (member: string): unknown[] =>
    parts.flatMap(({ content }) => {
      const data: unknown = content?.$case === "data" ? content.value : null;
      return isRecord(data) && Array.isArray(data[member]) ? (data[member] as unknown[]) : [];
    });
  // The functions check what the lists contain.
  const decisions = list("decisions") as ToolDecision[];
  const results = list("results") as ToolResult[];
  if (decisions.length > 0 || results.length > 0) return { decisions, results };
  throw new ProtocolError(
    "INVALID_PARAMS",
    'The task waits for approvals or results: send a data part {"decisions": [{"tool_execution_id": "…", "approved": true}]} or {"results": [{"tool_execution_id": "…", "output": {}}]}',
  );
}
