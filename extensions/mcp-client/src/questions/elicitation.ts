import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequest,
  type InputRequiredResult,
  isInputRequiredResult,
} from "@modelcontextprotocol/client";
import { isRecord, type ToolAsking, type ToolCall, ToolFailure, type ToolQuestion } from "swarmbase/extension";

type JsonRecord = Readonly<Record<string, unknown>>;

const MAX_ROUNDS = 10;
export const MAX_QUESTIONS = 8;
const MAX_MESSAGE_CHARS = 4_000;
const MAX_SCHEMA_CHARS = 16_000;
const MAX_STATE_CHARS = 65_536;

interface Asking {
  readonly meta: JsonRecord;
  /** Of the call, when it continues. */
  readonly params: JsonRecord;
}

/**
 * Declares whether a person can be asked, for this call alone, to a server of the 2026-07-28 revision: there a call ends with its
 * question and is made again with the answer, so that a run can wait for hours and continue on another node.
 */
export function buildAsking({ executionId, answers }: ToolCall): Asking {
  const canAsk = executionId !== undefined;
  const isAnswered = answers !== undefined && (answers.state !== null || Object.keys(answers.responses).length > 0);
  return {
    meta: { [CLIENT_CAPABILITIES_META_KEY]: canAsk ? { elicitation: { form: {} } } : {} },
    params:
      !canAsk || !isAnswered
        ? {}
        : { inputResponses: answers.responses, ...(answers.state !== null && { requestState: answers.state }) },
  };
}

/** Returns null when the call has ended. */
export function readQuestions(
  result: CallToolResult | InputRequiredResult,
  rounds: number,
): Omit<ToolAsking, "status"> | null {
  if (!isInputRequiredResult(result)) return null;
  const { inputRequests = {}, requestState = null } = result;
  const requests = Object.entries(inputRequests);
  requireRound(rounds);
  const questions = requests.map(([id, request]) => readQuestion(id, request));
  const isBounded = questions.length > 0 && questions.length <= MAX_QUESTIONS;
  if (!isBounded || (requestState?.length ?? 0) > MAX_STATE_CHARS || questions.includes(null)) throw unsupported();
  return { questions: questions.filter((question) => question !== null), state: requestState };
}

/** Throws when the call has asked too often. */
export function requireRound(rounds: number): void {
  if (rounds >= MAX_ROUNDS) throw new ToolFailure("TOOL_REMOTE_ERROR", "The tool asked too many questions.");
}

/** Returns null when nobody can answer this. */
export function readQuestion(
  id: string,
  { method, params }: Pick<InputRequest, "method" | "params">,
): ToolQuestion | null {
  if (method !== "elicitation/create" || !isRecord(params) || id.length > 200) return null;
  const { message, requestedSchema: schema } = params as JsonRecord;
  if (typeof message !== "string" || !isRecord(schema) || JSON.stringify(schema).length > MAX_SCHEMA_CHARS) return null;
  return { id, message: message.slice(0, MAX_MESSAGE_CHARS), schema };
}

function unsupported(): ToolFailure {
  return new ToolFailure("TOOL_REMOTE_ERROR", "The tool asks a question that cannot be answered here.");
}
