import { isFunctionError } from "../client/function-error.ts";
import type { FunctionsClient } from "../client/functions-client.ts";
import { invokeFunction } from "../client/invoke-function.ts";
import { readUntilWaiting } from "../client/read-until-waiting.ts";
import { type RespondBody, respond } from "../client/respond.ts";
import type { Run } from "../function-types/run-answers.ts";
import { DEFAULT_RETRY_AFTER_SECONDS } from "../limits.ts";

/** How agents are asked. */
export interface AskPorts {
  readonly client: FunctionsClient;
  /** Ends the run of the agent. */
  readonly signal: AbortSignal;
  /** Waits for a rate limit; rejects when the signal is aborted. */
  pause(seconds: number): Promise<void>;
}

/** What an agent did when it was asked. */
export interface Answer {
  readonly run: Run;
  readonly text: string;
  /** The value that a `response_schema` asked for. */
  readonly value: unknown;
  /** The names of the tools that it called, also of calls that wait. */
  readonly tools: readonly string[];
  /** Why there is no answer; null when there is one. */
  readonly failure: string | null;
}

const MAX_WAITS = 20;
const TOO_MANY_REQUESTS = 429;

/** Asks once. The run ends with the signal and with the connection; a run that waits for somebody is cancelled, because nobody would answer. */
export async function ask(ports: AskPorts, body: RespondBody): Promise<Answer> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await askNow(ports, body);
    } catch (error) {
      if (!isFunctionError(error) || error.status !== TOO_MANY_REQUESTS || waits === MAX_WAITS) throw error;
      await ports.pause(error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS);
    }
  }
}

async function askNow({ client, signal }: AskPorts, body: RespondBody): Promise<Answer> {
  // Without the signal, an end from outside would look like a lost connection, which is established again.
  const stream = respond(client, { ...body, on_disconnect: "cancel" }, { signal });
  const events = readUntilWaiting(client, stream);
  const tools = new Set<string>();
  for (;;) {
    const { done, value } = await events.next();
    if (!done) {
      if ("tool_name" in value.data && typeof value.data.tool_name === "string") tools.add(value.data.tool_name);
      continue;
    }
    if (value === null) return toAnswer(await stream.result(), [...tools]);
    const { user_id: userId } = body;
    await invokeFunction(client, "agent-respond", { action: "cancel", run_id: value.run_id, user_id: userId });
    return toAnswer(value, [...tools]);
  }
}

function toAnswer(run: Run, tools: readonly string[]): Answer {
  const { responses, errors } = run;
  return {
    run,
    text: responses.map(({ message }) => message.content ?? "").join("\n\n"),
    value: responses.at(-1)?.data ?? null,
    tools,
    failure: findFailure(run, errors),
  };
}

function findFailure(run: Run, errors: Run["errors"]): string | null {
  const [asking] = [...(run.pending_approvals ?? []), ...(run.pending_client_calls ?? [])];
  if (asking !== undefined) return `the run waits for somebody to answer its call of ${asking.tool_name}`;
  const [waiting] = run.pending_waits ?? [];
  if (waiting !== undefined) return `the run waits in its call of ${waiting.tool_name}`;
  const [error] = errors;
  if (error !== undefined) return `${error.code}: ${error.message}`;
  return run.responses.length > 0 ? null : `no answer: ${run.stop_reason ?? run.status}`;
}
