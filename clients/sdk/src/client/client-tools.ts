import type { Run } from "../function-types/run-answers.ts";
import type { AgentRespondAskBody, AgentRespondSubmitToolResultsBody } from "../function-types/run-bodies.ts";
import type { Json } from "../json.ts";
import { type AnswerOf, type AnswerSchema, parseAnswer, toJsonSchema } from "./answer-schema.ts";
import { ConnectionError, isFunctionError } from "./function-error.ts";
import type { FunctionsClient } from "./functions-client.ts";
import { type CallOptions, invokeFunction } from "./invoke-function.ts";
import type { RunStreamEvent, RunStreamEventOf } from "./run-stream-event.ts";
import { sleep } from "./sleep.ts";

/** A tool that this client executes when a model calls it. */
export interface ClientTool<S extends AnswerSchema = AnswerSchema> {
  /** What the tool does, for the model. */
  readonly description: string;
  /** Of the input: zod 4.2, another library with Standard JSON Schema, or a JSON Schema. Its type must be an object. */
  readonly schema: S;
  /** Returns JSON, which the model reads. The model also reads the message of an error that this throws. */
  execute(input: AnswerOf<S>, call: ClientToolCall): unknown;
}

/** By name. `Schemas` has the schema of each tool. */
export type ClientTools<Schemas extends Record<string, AnswerSchema> = Record<string, AnswerSchema>> = {
  readonly [Name in keyof Schemas]: ClientTool<Schemas[Name]>;
};

export interface ClientToolCall {
  readonly runId: string;
  readonly toolExecutionId: string;
  readonly agentId: string | null;
  /** The service does not accept a result after this time; null means that it waits without end. */
  readonly expiresAt: string | null;
  /** Aborted when the stream of the run is aborted. */
  readonly signal: AbortSignal;
}

type Result = AgentRespondSubmitToolResultsBody["results"][number];

/**
 * Submits results of tool calls that wait for the client (`pending_client_calls` of a run), and returns the run. `respond` with `tools`
 * does it by itself.
 */
export function submitToolResults(
  client: FunctionsClient,
  body: Omit<AgentRespondSubmitToolResultsBody, "action">,
  options: CallOptions = {},
): Promise<Run> {
  return invokeFunction(client, "agent-respond", { ...body, action: "submit_tool_results" }, options);
}

/** The tools as the service gets them. */
export function describeClientTools(tools: ClientTools): NonNullable<AgentRespondAskBody["client_tools"]> {
  return Object.entries(tools).map(([name, { description, schema }]) => ({
    name,
    description,
    input_schema: toJsonSchema(schema),
  }));
}

const SUBMIT_ATTEMPTS = 5;
const RETRY_PAUSE_MS = 500;
const MAX_ERROR_CHARS = 1_000;
/** Another client of the user was faster, or this one was too slow: the run continues either way. */
const SETTLED_CODES: ReadonlySet<string> = new Set(["TOOL_RESULT_SUBMITTED", "CLIENT_TOOL_EXPIRED"]);

interface ToolRunner {
  /** Executes the call of the event, if it is one of these tools, and submits its result. */
  take(event: RunStreamEvent): void;
  /** Aborted by the signal of the caller, and when a result cannot be submitted. */
  readonly signal: AbortSignal;
}

export function createToolRunner(
  client: FunctionsClient,
  tools: ClientTools,
  { userId, signal }: { readonly userId: string | null | undefined; readonly signal: AbortSignal | undefined },
): ToolRunner {
  const failing = new AbortController();
  const stopped = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]);
  const answer = async (data: RunStreamEventOf<"tool.client_call">["data"], tool: ClientTool): Promise<void> => {
    const call: ClientToolCall = {
      runId: data.run_id,
      toolExecutionId: data.tool_execution_id,
      agentId: data.agent_id,
      expiresAt: data.expires_at,
      signal: stopped,
    };
    const result = await execute(tool, data.input ?? {}, call);
    const body = { run_id: data.run_id, user_id: userId, results: [result] };
    for (let attempt = 1; !stopped.aborted; attempt += 1) {
      try {
        await submitToolResults(client, body, { signal: stopped });
        return;
      } catch (error) {
        if (isFunctionError(error) && SETTLED_CODES.has(error.code)) return;
        if (attempt >= SUBMIT_ATTEMPTS || !canRetry(error)) throw error;
        await sleep(RETRY_PAUSE_MS * 2 ** (attempt - 1), stopped);
      }
    }
  };
  return {
    signal: stopped,
    take(event) {
      if (event.type !== "tool.client_call") return;
      const { tool_name: name, input } = event.data;
      // Without an input, the call is for the client of another user.
      if (input === undefined || !Object.hasOwn(tools, name)) return;
      answer(event.data, tools[name] as ClientTool).catch((error: unknown) => failing.abort(error));
    },
  };
}

async function execute(tool: ClientTool, input: Json, call: ClientToolCall): Promise<Result> {
  const { toolExecutionId: tool_execution_id } = call;
  try {
    const output: unknown = await tool.execute(await parseAnswer(tool.schema, input), call);
    return { tool_execution_id, output: output ?? null };
  } catch (error) {
    return { tool_execution_id, error: describeToolError(error) };
  }
}

/** The error of a tool as the service accepts it: not empty, of limited length, without zero bytes and lone surrogates. */
export function describeToolError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const clean = text
    .slice(0, MAX_ERROR_CHARS)
    .replaceAll("\0", "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
  return clean === "" ? "The tool failed" : clean;
}

function canRetry(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return isFunctionError(error) && (error.status === 408 || error.status === 429 || error.status >= 500);
}
