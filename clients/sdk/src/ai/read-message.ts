import type { UIMessage } from "ai";
import type { AgentRespondApproveBody, AgentRespondSubmitToolResultsBody } from "../function-types/run-bodies.ts";
import { describeToolError } from "../client/client-tools.ts";
import type { SwarmDataParts, SwarmMetadata } from "./swarm-ui-message.ts";

/** The text of a message of the user. */
export function readText({ parts }: UIMessage): string {
  const other = parts.find(({ type }) => type !== "text");
  if (other !== undefined) throw new TypeError(`A message to a swarm has text only, not a part of type ${other.type}`);
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

interface Answer {
  readonly runId: string;
  readonly lastEventId: number;
  readonly decisions: AgentRespondApproveBody["decisions"];
  /** The calls for which the user has signed in, which needs no decision. */
  readonly connectedIds: readonly string[];
  /** Of the tools that the chat executed, also in earlier steps. */
  readonly results: AgentRespondSubmitToolResultsBody["results"];
  readonly toolCallIds: readonly string[];
}

/** What the user has decided about the tool calls of an answer, what the chat has executed, and where the stream was left. */
export function readAnswer({ metadata, parts }: UIMessage): Answer {
  const { runId = "", lastEventId = 0 } = (metadata ?? {}) as SwarmMetadata;
  const tools = parts.filter((part) => part.type === "dynamic-tool");
  const connectIds = parts.flatMap((part) => {
    if (part.type !== "data-question") return [];
    const { toolCallId, question } = part.data as SwarmDataParts["question"];
    return question.kind === "connect" ? [toolCallId] : [];
  });
  const answers = tools.flatMap((part) => {
    if (part.state !== "approval-responded") return [];
    const { approved, reason } = part.approval;
    return [{ tool_execution_id: part.toolCallId, approved, reason }];
  });
  const [connected = [], decisions = []] = [true, false].map((isConnected) =>
    answers.filter(({ tool_execution_id: id, approved }) => (approved && connectIds.includes(id)) === isConnected),
  );
  const connectedIds = connected.map(({ tool_execution_id: id }) => id);
  const results = tools.flatMap((part): Answer["results"] => {
    const { toolCallId: tool_execution_id, providerExecuted = false } = part;
    if (providerExecuted) return [];
    if (part.state === "output-available") return [{ tool_execution_id, output: part.output ?? null }];
    return part.state === "output-error" ? [{ tool_execution_id, error: describeToolError(part.errorText) }] : [];
  });
  return {
    runId,
    lastEventId,
    decisions,
    connectedIds,
    results,
    toolCallIds: tools.map(({ toolCallId }) => toolCallId),
  };
}
