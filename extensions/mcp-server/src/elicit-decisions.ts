import {
  type ElicitInputParams,
  type InputRequests,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isUuid, type PendingApproval, type Run } from "@swarmbase/sdk";
import { readRows } from "swarmbase/extension";
import type { Decision } from "./decide-and-follow.ts";
import type { ToolCall } from "./tools/tool.ts";

const MAX_INPUT_CHARACTERS = 2_000;

/** What the user of the client has decided, when a request is repeated with it. */
interface Decided {
  readonly runId: string;
  readonly decisions: readonly Decision[];
  /** The calls for which the user has opened the address of a sign-in. */
  readonly openedIds: readonly string[];
  /** The user has left a question open: the result then says what waits, instead of asking again. */
  readonly isOpen: boolean;
}

/**
 * The questions for the user of the client about the calls that the caller can decide. The client repeats its request with the
 * answers, so the service keeps nothing meanwhile. Null when there is nothing to ask, or the client cannot ask.
 */
export async function elicitDecisions(run: Run, call: ToolCall): Promise<InputRequiredResult | null> {
  const { core, connectUrl } = call.caller;
  const asked = (run.pending_approvals ?? []).filter((approval) =>
    connectUrl(approval) === null ? call.showsForms : call.opensUrls,
  );
  if (asked.length === 0 || !core.hasScope("approve") || run.status !== "requires_action") return null;
  const query = new URLSearchParams({
    select: "id,...agent_cards(name)",
    id: `in.(${asked.map(({ tool_execution_id: id }) => id).join(",")})`,
    may_decide: "is.true",
  });
  const own = await readRows<{ readonly id: string; readonly name: string | null }>(core, "/tool_executions", query);
  const names = new Map(own.map(({ id, name }) => [id, name ?? "An agent"]));
  const inputRequests: InputRequests = {};
  for (const approval of asked) {
    const name = names.get(approval.tool_execution_id);
    if (name !== undefined) inputRequests[keyOf(approval)] = createQuestion(name, approval, connectUrl(approval));
  }
  if (Object.keys(inputRequests).length === 0) return null;
  return inputRequired({ inputRequests, requestState: run.run_id });
}

/** The answer to a question of a tool has other members than a decision, and an address that was opened has none. */
const ANSWER_PREFIX = "answer:";
const CONNECT_PREFIX = "connect:";

function keyOf({ tool_execution_id: id, question }: PendingApproval): string {
  if (question === undefined) return id;
  return `${question.kind === "connect" ? CONNECT_PREFIX : ANSWER_PREFIX}${id}`;
}

function createQuestion(agentName: string, approval: PendingApproval, url: string | null): InputRequests[string] {
  const { tool_name: tool, input, question } = approval;
  if (question !== undefined && url !== null)
    return inputRequired.elicitUrl({ message: `${tool}, which ${agentName} has called: ${question.message}`, url });
  if (question !== undefined)
    return inputRequired.elicit({
      message: `${tool}, which ${agentName} has called, asks: ${question.message}`,
      requestedSchema: question.schema as ElicitInputParams["requestedSchema"],
    });
  const shown = JSON.stringify(input ?? {}).slice(0, MAX_INPUT_CHARACTERS);
  return inputRequired.elicit({
    message: `${agentName} wants to call ${tool} with ${shown}`,
    requestedSchema: {
      type: "object",
      properties: {
        approve: { type: "boolean", title: "Approve", description: "Whether the tool may be called" },
        reason: { type: "string", title: "Reason", description: "Why not, for the agent", maxLength: 1_000 },
      },
      required: ["approve"],
    },
  });
}

/**
 * The decisions of a repeated request; null for a first one. The state is the id of a run, which everything that follows
 * checks as for any other request, so it needs no signature.
 */
export function readDecisions({ requestState, inputResponses }: ServerContext["mcpReq"]): Decided | null {
  const runId = requestState<unknown>();
  if (runId === undefined) return null;
  if (!isUuid(runId)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid requestState");
  const keys = Object.keys(inputResponses ?? {});
  const openedIds: string[] = [];
  const decisions = keys.flatMap((key): Decision[] => {
    const response = inputResponse(inputResponses, key);
    if (response.kind !== "elicit" || response.action === "cancel") return [];
    if (key.startsWith(CONNECT_PREFIX)) {
      const id = key.slice(CONNECT_PREFIX.length);
      if (response.action !== "accept") return [{ tool_execution_id: id, approved: false }];
      if (isUuid(id)) openedIds.push(id);
      return [];
    }
    if (key.startsWith(ANSWER_PREFIX)) {
      const approved = response.action === "accept";
      const content = approved && { content: { ...response.content } };
      return [{ tool_execution_id: key.slice(ANSWER_PREFIX.length), approved, ...content }];
    }
    const { approve, reason } = response.content ?? {};
    const approved = response.action === "accept" && approve === true;
    return [{ tool_execution_id: key, approved, ...(typeof reason === "string" && reason !== "" && { reason }) }];
  });
  const isOpen = keys.length === 0 || decisions.length + openedIds.length < keys.length;
  return { runId, decisions, openedIds, isOpen };
}
