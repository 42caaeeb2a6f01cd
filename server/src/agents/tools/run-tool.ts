import { unlessAborted } from "@swarmbase/concurrency";
import { ToolFailure } from "../../errors/index.ts";
import { type JsonRecord } from "../../json/index.ts";
import type { Observer } from "../../observe/index.ts";
import { type BuiltinPorts, runBuiltin } from "./builtins/run-builtin.ts";
import { findAccounts } from "./calls/find-servers.ts";
import type { CallSigner } from "./http/call-signer.ts";
import { runHttpTool } from "./http/run-http-tool.ts";
import { readAssignment } from "./input/assignment.ts";
import { boundText } from "./output/bound-text.ts";
import { hiddenForms, hideSecrets } from "./output/hide-secrets.ts";
import { toStoredOutput } from "./output/to-stored-output.ts";
import { openSecrets, type ToolSecrets } from "./seal-secrets.ts";
import { runAddedKind, type ToolAnswer, type ToolCall, type ToolKinds } from "./tool-kind.ts";
import type { AssignedTool, ToolAsking, ToolCallContext, ToolOutcome, ToolStarter, ToolWaiting } from "./tool-port.ts";

export interface RunnerPorts extends BuiltinPorts {
  readonly kinds: ToolKinds;
  /** Opens the secrets of tools. */
  readonly key: Buffer;
  readonly observer: Observer;
  /** Signs for whom HTTP tools are called. */
  readonly signer: CallSigner;
  newId(): string;
}

const NOBODY: ToolStarter = {
  userId: null,
  async open() {
    throw new ToolFailure("TOOL_UNUSABLE", "The tool acts for the person who asks, and nobody has asked.");
  },
};

/** Calls a tool and returns its result or its error. Never rejects. */
export async function runTool(
  ports: RunnerPorts,
  tool: AssignedTool,
  input: JsonRecord,
  context: ToolCallContext,
): Promise<ToolOutcome | ToolAsking | ToolWaiting> {
  const startedAtMs = performance.now();
  const { fixed, timeoutMs, maxOutputChars: maxChars } = readAssignment(tool);
  const { max_retries: maxRetries } = tool;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  let hidden: readonly string[] = [];
  const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
  try {
    const secrets = openToolSecrets(ports.key, tool);
    hidden = hiddenForms(tool.config, secrets);
    const { name, owner_id: ownerId, config } = tool;
    const { swarmId, traceparent, executionId, answers, starter } = context;
    const call = {
      name,
      ownerId,
      swarmId,
      config,
      input: { ...input, ...fixed },
      secrets,
      maxChars,
      maxRetries,
      timeoutMs,
      signal,
      traceparent,
      executionId,
      answers,
      starter: starter ?? NOBODY,
      hide: (secret: string) => void (hidden = [...hidden, ...hiddenForms({}, { secret })]),
    };
    // A runner may ignore the signal.
    const answer = await unlessAborted(dispatch(ports, tool, call), signal);
    if (answer.asking !== undefined) return { status: "asking", ...hideIn(answer.asking, hidden) };
    if (answer.wait !== undefined) return { status: "waiting", wait: answer.wait };
    const { text, chars, isTruncated } = boundText(hideSecrets(answer.text, hidden, answer), maxChars, answer);
    return {
      status: "succeeded",
      output: toStoredOutput(text),
      text,
      ...(answer.images !== undefined && { images: answer.images }),
      outputChars: chars,
      isTruncated,
      attempts: answer.attempts,
      durationMs: elapsedMs(),
    };
  } catch (error) {
    if (context.signal.aborted) return endedBy("cancelled", "TOOL_CANCELLED", "The call was cancelled.", elapsedMs());
    if (deadline.signal.aborted || isTimeout(error)) {
      const message = `The tool did not answer within ${timeoutMs} ms.`;
      return endedBy("timed_out", "TOOL_TIMED_OUT", message, elapsedMs());
    }
    const failure = error instanceof ToolFailure ? error : hideFault(ports.observer, tool, error);
    // Whether the text of a failure is complete is not known, so it may end within a secret.
    const shown = failure.text === null ? null : hideSecrets(failure.text, hidden, { isCut: true });
    return {
      status: "failed",
      error: failure.fault,
      ...(shown !== null && { text: boundText(shown, maxChars).text }),
      attempts: failure.attempts,
      durationMs: elapsedMs(),
    };
  } finally {
    clearTimeout(timer);
    // Cancels what the runner may have left in progress.
    deadline.abort();
  }
}

/** The state goes back to the server as it is. */
function hideIn(
  { questions, ...others }: Omit<ToolAsking, "status">,
  hidden: readonly string[],
): Omit<ToolAsking, "status"> {
  return {
    questions: JSON.parse(hideSecrets(JSON.stringify(questions), hidden)) as ToolAsking["questions"],
    ...others,
  };
}

async function dispatch(ports: RunnerPorts, { id, kind }: AssignedTool, call: ToolCall): Promise<ToolAnswer> {
  switch (kind) {
    case "builtin":
      return runBuiltin(ports, call);
    case "http":
      return runHttpTool({ ...ports, accounts: findAccounts(ports.kinds) }, call, id);
    case "client":
      throw new ToolFailure("TOOL_UNUSABLE", "Only the client that started a run can execute this tool.");
    default:
      return runAddedKind(ports.kinds, kind, call);
  }
}

function openToolSecrets(key: Buffer, { id, secrets_wrapped: wrapped }: AssignedTool): ToolSecrets {
  try {
    return openSecrets(key, id, wrapped);
  } catch (cause) {
    throw new ToolFailure("TOOL_UNUSABLE", "The tool's secrets cannot be decrypted; send them again.", { cause });
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
  return new ToolFailure("TOOL_FAILED", "The tool failed because of an internal error.", { cause });
}
