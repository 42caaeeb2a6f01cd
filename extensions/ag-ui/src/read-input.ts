import type { Message, ResumeEntry, RunAgentInput } from "@ag-ui/core";
import {
  type AgentRespondApproveBody,
  type AgentRespondSubmitToolResultsBody,
  describeToolError,
  type ToolQuestion,
} from "@swarmbase/sdk";
import { AppError, isRecord } from "swarmbase/extension";

/** What a request asks for. */
export interface AgentInput {
  readonly threadId: string;
  readonly runId: string;
  readonly state: unknown;
  /** Null means that no message of the user is new. */
  readonly question: string | null;
  /** The whole conversation, as far as a stored one has it. Empty without a question. */
  said(): readonly SaidMessage[];
  readonly clientTools: readonly { name: string; description: string; input_schema: Record<string, unknown> }[];
  /** Results at the end of the conversation. */
  readonly results: readonly ToolResult[];
  /** What the user has answered to interrupts. */
  readonly resumed: readonly Resumed[];
  /** The calls and results that the conversation has. */
  readonly knownCalls: readonly string[];
  readonly knownResults: readonly string[];
  readonly isEmpty: boolean;
}

interface SaidMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

type ToolResult = AgentRespondSubmitToolResultsBody["results"][number];
type Decision = AgentRespondApproveBody["decisions"][number];

interface Resumed {
  readonly tool_execution_id: string;
  /** By the question that the call waits with, if it has one. Null means that only a sign-in at the server continues the call. */
  toDecision(question: Pick<ToolQuestion, "kind"> | null): Decision | null;
}

/** The longest Idempotency-Key. */
const MAX_RUN_ID = 255;
const ANY_INPUT = { type: "object", properties: {} };

/** Checks a `RunAgentInput` with the schema of the protocol. */
export async function readInput(body: unknown): Promise<AgentInput> {
  const { RunAgentInputSchema } = await import("@ag-ui/core/schemas");
  const parsed = RunAgentInputSchema.safeParse(body);
  if (!parsed.success) throw invalid(Object.fromEntries(parsed.error.issues.map(toDetail)));
  // The wire may leave out what the type requires.
  const input = parsed.data as Omit<RunAgentInput, "tools"> & Partial<Pick<RunAgentInput, "tools">>;
  const { threadId, runId, messages, tools = [], resume = [] } = input;
  if (runId === "" || runId.length > MAX_RUN_ID || runId.includes("\0") || !runId.isWellFormed())
    throw invalid({ runId: `must have 1 to ${MAX_RUN_ID} characters, without zero bytes` });
  const last = messages.at(-1);
  const tail = messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
  return {
    threadId,
    runId,
    state: input.state,
    question: last?.role === "user" && resume.length === 0 ? textOf(last) : null,
    said: () => messages.flatMap(toSaid),
    clientTools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: isRecord(parameters) && Object.keys(parameters).length > 0 ? parameters : ANY_INPUT,
    })),
    results: tail.flatMap(toResults),
    resumed: resume.map(toResumed),
    knownCalls: messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    ),
    knownResults: messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])),
    isEmpty: messages.length === 0,
  };
}

const ROLES: Readonly<Record<string, SaidMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
};

function toSaid(message: Message): readonly SaidMessage[] {
  const role = ROLES[message.role];
  const content = role === undefined ? "" : textOf(message);
  return role === undefined || content.trim() === "" ? [] : [{ role, content }];
}

function toResults(message: Message): ToolResult[] {
  if (message.role !== "tool") return [];
  const { toolCallId: tool_execution_id, error } = message;
  return error === undefined || error === ""
    ? [{ tool_execution_id, output: textOf(message) }]
    : [{ tool_execution_id, error: describeToolError(error) }];
}

/** An interrupt that was abandoned is a denied call, or a declined question. */
function toResumed({ interruptId: tool_execution_id, status, payload }: ResumeEntry, index: number): Resumed {
  const field = `resume.${index}.payload`;
  return {
    tool_execution_id,
    toDecision(question) {
      if (status === "cancelled") return { tool_execution_id, approved: false };
      if (question?.kind === "connect") return null;
      if (question !== null) {
        if (!isRecord(payload)) throw invalid({ [field]: "must be an object, as the schema of the interrupt says" });
        return { tool_execution_id, approved: true, content: payload };
      }
      const { approved, reason } = isRecord(payload) ? payload : {};
      if (typeof approved !== "boolean" || (reason !== undefined && typeof reason !== "string"))
        throw invalid({ [field]: "must be {approved: boolean, reason?: string}" });
      return { tool_execution_id, approved, ...(reason !== undefined && { reason }) };
    },
  };
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts
    .map((part) => {
      const { type, text } = isRecord(part) ? part : {};
      if (type !== "text" || typeof text !== "string") throw invalid({ messages: "must have text only" });
      return text;
    })
    .join("\n");
}

function toDetail({ path, message }: { path: PropertyKey[]; message: string }): [string, string] {
  return [path.map(String).join(".") || "body", message];
}

function invalid(details: Record<string, string>): AppError {
  return new AppError("VALIDATION_ERROR", "The request body is not valid", { details });
}
