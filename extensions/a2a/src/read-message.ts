import type { Message, SendMessageConfiguration } from "@a2a-js/sdk";
import type { AgentRespondApproveBody, AgentRespondSubmitToolResultsBody } from "@swarmbase/sdk";
import { isRecord } from "swarmbase/extension";
import { ProtocolError } from "./faults.ts";

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
    if (content === undefined) throw new ProtocolError("INVALID_PARAMS", "A part needs text or data");
    if (content.$case === "text") return content.value;
    if (content.$case === "data") return JSON.stringify(content.value);
    throw new ProtocolError("CONTENT_TYPE_NOT_SUPPORTED", "Agents read text and data, and no files");
  });
  if (texts.length === 0) throw new ProtocolError("INVALID_PARAMS", "The message has no parts");
  return texts.join("\n\n");
}

type Input = Omit<AgentRespondApproveBody, "run_id"> | Omit<AgentRespondSubmitToolResultsBody, "run_id">;

/** The decisions and results in the data parts of a message to a task that waits, as calls of `agent-respond`. */
export function readInput({ parts }: Message): readonly Input[] {
  const list = (member: string): unknown[] =>
    parts.flatMap(({ content }) => {
      const data: unknown = content?.$case === "data" ? content.value : null;
      return isRecord(data) && Array.isArray(data[member]) ? (data[member] as unknown[]) : [];
    });
  // The function checks what the lists contain.
  const decisions = list("decisions") as unknown as AgentRespondApproveBody["decisions"];
  const results = list("results") as unknown as AgentRespondSubmitToolResultsBody["results"];
  if (decisions.length + results.length === 0)
    throw new ProtocolError(
      "INVALID_PARAMS",
      'The task waits for approvals or results: send a data part {"decisions": [{"tool_execution_id": "…", "approved": true}]} or {"results": [{"tool_execution_id": "…", "output": {}}]}',
    );
  return [
    ...(decisions.length > 0 ? [{ action: "approve", decisions } as const] : []),
    ...(results.length > 0 ? [{ action: "submit_tool_results", results } as const] : []),
  ];
}
