import { type JsonRecord } from "../../json/index.ts";
import type { Observer } from "../../observe/index.ts";
import { type BuiltinPorts, runBuiltin } from "./builtins/run-builtin.ts";
import { runHttpTool, type ToolAnswer } from "./http/run-http-tool.ts";
import { type Assignment, readAssignment } from "./input/assignment.ts";
import type { McpPool } from "./mcp/mcp-pool.ts";
import { runMcpTool } from "./mcp/run-mcp-tool.ts";
import { boundText } from "./output/bound-text.ts";
import { hiddenForms, hideSecrets } from "./output/hide-secrets.ts";
import { keptOutput } from "./output/kept-output.ts";
import { openSecrets, type ToolSecrets } from "./seal-secrets.ts";
import { ToolFailure } from "./tool-failure.ts";
import { runAddedKind, type ToolKinds } from "./tool-kind.ts";
import type { AssignedTool, ToolCallContext, ToolOutcome } from "./tool-port.ts";

export interface RunnerPorts extends BuiltinPorts {
  readonly mcp: McpPool;
  readonly kinds: ToolKinds;
  /** Opens the secrets of tools. */
  readonly key: Buffer;
  readonly observer: Observer;
}

/** Where a call comes from; a trial of a tool has neither a swarm nor a run. */
export interface CallOrigin extends Pick<ToolCallContext, "signal" | "traceparent"> {
  readonly swarmId: string | null;
}

/** One call of a tool, from its start to a result or a named fault. Never rejects. */
export async function runTool(
  ports: RunnerPorts,
  tool: AssignedTool,
  input: JsonRecord,
  origin: CallOrigin,
): Promise<ToolOutcome> {
  const startedAtMs = performance.now();
  const assignment = readAssignment(tool);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), assignment.timeoutMs);
  const signal = AbortSignal.any([origin.signal, deadline.signal]);
  let hidden: readonly string[] = [];
  const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    const secrets = openToolSecrets(ports.key, tool);
    hidden = hiddenForms(tool.config, secrets);
    const answer = await orAbort(dispatch(ports, { tool, input, secrets, assignment, origin, signal }), signal);
    const { text, chars, isTruncated } = boundText(
      hideSecrets(answer.text, hidden, answer),
      assignment.maxOutputChars,
      answer,
    );
    return {
      status: "succeeded",
      output: keptOutput(text),
      text,
      outputChars: chars,
      isTruncated,
      attempts: answer.attempts,
      durationMs: elapsedMs(),
    };
  } catch (error) {
    if (origin.signal.aborted) return endedBy("cancelled", "TOOL_CANCELLED", "The call was cancelled.", elapsedMs());
    if (deadline.signal.aborted || isTimeout(error)) {
      const message = `The tool did not answer within ${assignment.timeoutMs} ms.`;
      return endedBy("timed_out", "TOOL_TIMED_OUT", message, elapsedMs());
    }
    const failure = error instanceof ToolFailure ? error : hideFault(ports.observer, tool, error);
    // Of a failure nobody has kept whether all that was said has come.
    const told = failure.text === null ? null : hideSecrets(failure.text, hidden, { isCut: true });
    const said = told === null ? null : boundText(told, assignment.maxOutputChars);
    return {
      status: "failed",
      error: failure.fault,
      ...(said !== null && { text: said.text }),
      attempts: failure.attempts,
      durationMs: elapsedMs(),
    };
  } finally {
    clearTimeout(timer);
    // What still goes on is no longer wanted.
    deadline.abort();
  }
}

interface Dispatched {
  readonly tool: AssignedTool;
  readonly input: JsonRecord;
  readonly secrets: ToolSecrets;
  readonly assignment: Assignment;
  readonly origin: CallOrigin;
  readonly signal: AbortSignal;
}

async function dispatch(ports: RunnerPorts, call: Dispatched): Promise<ToolAnswer> {
  const { tool, input, secrets, assignment, origin, signal } = call;
  const { swarmId, traceparent } = origin;
  const { maxOutputChars: maxChars, timeoutMs } = assignment;
  const { config } = tool;
  switch (tool.kind) {
    case "builtin":
      return runBuiltin(tool.name, ports, { input, swarmId, maxChars, signal });
    case "http":
      return runHttpTool(ports.guarded, { config, input, secrets, maxChars, signal, traceparent });
    case "mcp":
      return runMcpTool(ports.mcp, { ownerId: tool.owner_id, config, input, secrets, timeoutMs, signal, traceparent });
    default: {
      const { name, owner_id: ownerId } = tool;
      const added = { name, ownerId, swarmId, config, input, secrets, maxChars, timeoutMs, signal, traceparent };
      return runAddedKind(ports.kinds, tool.kind, added);
    }
  }
}

function openToolSecrets(key: Buffer, { id, secrets_wrapped: wrapped }: AssignedTool): ToolSecrets {
  try {
    return openSecrets(key, id, wrapped);
  } catch (cause) {
    throw new ToolFailure("TOOL_UNUSABLE", "The tool's secrets cannot be opened; send them again.", { cause });
  }
}

/** Something below may be deaf to the signal; nobody waits for it. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  work.catch(() => {});
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof ToolFailure && error.fault.code === "TOOL_TIMED_OUT";
}

function endedBy(status: "cancelled" | "timed_out", code: string, message: string, durationMs: number): ToolOutcome {
  return { status, error: { code, message, retryable: status === "timed_out" }, attempts: 1, durationMs };
}

function hideFault(observer: Observer, { id, kind }: AssignedTool, cause: unknown): ToolFailure {
  observer.note("tool.faulted", { toolId: id, kind, err: cause });
  return new ToolFailure("TOOL_FAILED", "The tool failed on our side.", { cause });
}
