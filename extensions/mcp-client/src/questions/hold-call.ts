import type { CallToolRequest } from "@modelcontextprotocol/client";
import { type ToolAnswer, type ToolCall, ToolFailure } from "swarmbase/extension";
import { readResult } from "../read-result.ts";
import { explainMcpError } from "../explain-mcp-error.ts";
import type { McpLoan, McpPool } from "../sessions/mcp-pool.ts";
import { keyOf, type McpTarget } from "../sessions/mcp-target.ts";
import { listSentTokens } from "../sessions/open-client.ts";
import { clearAsker } from "./asker.ts";
import { requireRound } from "./elicitation.ts";
import type { HeldCall } from "./held-call.ts";
import type { Holding } from "./held-calls.ts";
import { OpenCall } from "./open-call.ts";

interface AskingCall {
  readonly target: McpTarget;
  readonly params: CallToolRequest["params"];
  readonly call: ToolCall;
  readonly executionId: string;
}

/** Makes a call that keeps the session while a person is asked. */
export async function makeHeldCall(pool: McpPool, loan: McpLoan, asking: AskingCall): Promise<ToolAnswer> {
  const { target, params, call, executionId } = asking;
  const open = new OpenCall(loan.client, params, null);
  let isHeld = false;
  try {
    const result = await open.next(call.signal);
    if (result !== null) return readResult(result, 1);
    isHeld = true;
    return hold(pool, { call: open, key: keyOf(target), executionId, loan: loan.keep() });
  } finally {
    if (!isHeld) clearAsker(loan.client);
  }
}

/** Passes the answers on, and waits for the result or for further questions. */
export async function continueHeldCall(pool: McpPool, asking: AskingCall, held: HeldCall): Promise<ToolAnswer> {
  const { target, call } = asking;
  const { signal, answers } = call;
  const holding = pool.held.take(held.id, keyOf(target)) ?? (await resume(pool, asking, held));
  const { loan, call: open } = holding;
  try {
    open.answer(answers?.responses ?? {});
    const result = await open.next(signal);
    if (result === null) {
      requireRound(answers?.rounds ?? 0);
      return hold(pool, holding);
    }
    clearAsker(loan.client);
    loan.release(true);
    return readResult(result, 1);
  } catch (error) {
    open.cancel();
    clearAsker(loan.client);
    // The end of the session could precede the cancellation. A program that does not answer must be started again.
    loan.release(error instanceof ToolFailure || (signal.aborted && !("server" in target)));
    signal.throwIfAborted();
    throw explainMcpError(error, 1);
  } finally {
    listSentTokens(loan.client).forEach((token) => call.hide?.(token));
  }
}

function hold(pool: McpPool, holding: Holding): ToolAnswer {
  const held = pool.held.hold(holding);
  return {
    text: "",
    isCut: false,
    attempts: 1,
    asking: { questions: holding.call.questions, state: null, held },
  };
}

/** Takes over a call of another node, or of this one before it was restarted, if the server repeats the messages of its stream. */
async function resume(pool: McpPool, asking: AskingCall, held: HeldCall): Promise<Holding> {
  const { target, params, call, executionId } = asking;
  const { resumption } = held;
  if (resumption === null || "server" in target) throw lost();
  let loan: McpLoan | null = null;
  try {
    loan = await pool.borrow(target, call.signal, { isAsking: true, resumption });
    for (const [id, result] of Object.entries(call.answers?.responses ?? {}))
      await loan.client.transport?.send({ jsonrpc: "2.0", id: JSON.parse(id) as string | number, result });
    return { call: new OpenCall(loan.client, params, held), loan: loan.keep(), key: keyOf(target), executionId };
  } catch (cause) {
    loan?.release(false);
    call.signal.throwIfAborted();
    throw lost(cause);
  }
}

function lost(cause?: unknown): ToolFailure {
  const message =
    "The connection on which the tool asked has ended. The tool must be called again, and will ask again.";
  return new ToolFailure("TOOL_UNREACHABLE", message, { cause, isRetryable: true });
}
