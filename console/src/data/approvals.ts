import type { Json, ToolQuestion } from "@swarmbase/sdk";
import { useCallback, useMemo } from "react";
import type { KeyedRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { type RowEvent, useLiveTable } from "./live.ts";
import { useReloadSoon } from "./reload-soon.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useUser } from "./session.ts";

/** A tool call that waits for a decision of the user. */
export interface Approval {
  readonly id: string;
  readonly runId: string;
  readonly swarmId: string;
  /** Null means that the user owns the agent, and somebody else talks with it in private. */
  readonly swarmName: string | null;
  readonly toolName: string;
  readonly agentName: string;
  readonly asked: { readonly by: string; readonly text: string } | null;
  readonly input: Json | null;
  /** What the tool asks; null if it only needs an approval. */
  readonly question: ToolQuestion | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

const COLUMNS =
  "id, run_id, swarm_id, tool_name, status, created_at, expires_at, agent_cards(name), " +
  "tool_execution_payloads(input, question), " +
  "runs(swarms(name), messages!runs_message_id_fkey(content, sender_name))";
const MAX_APPROVALS = 100;

interface WaitingCall
  extends Pick<
    Row<"tool_executions">,
    "id" | "run_id" | "swarm_id" | "tool_name" | "status" | "created_at" | "expires_at"
  > {
  readonly agent_cards: { readonly name: string } | null;
  readonly tool_execution_payloads: { readonly input: Json | null; readonly question: Json | null } | null;
  readonly runs: {
    readonly swarms: { readonly name: string } | null;
    readonly messages: { readonly content: string | null; readonly sender_name: string } | null;
  } | null;
}

/** Who decides on a call, where that is not the user. */
export type Decider = { readonly kind: "owner" | "unknown" } | { readonly kind: "asker"; readonly name: string };

interface DecidedCall {
  readonly id: string;
  readonly approver_id: string | null;
  readonly runs: {
    readonly user_id: string | null;
    readonly messages: { readonly sender_name: string } | null;
  } | null;
}

export function useDecider(toolExecutionId: string, isOn: boolean): Decider {
  const { rows: call } = useRows({
    table: "tool_executions",
    key: ["decider", toolExecutionId],
    isOn,
    reloadsItself: true,
    read: (client) =>
      client
        .from("tool_executions")
        .select<string, DecidedCall>("id, approver_id, runs(user_id, messages!runs_message_id_fkey(sender_name))")
        .eq("id", toolExecutionId)
        .maybeSingle(),
  });
  if (call === undefined || call === null) return { kind: "unknown" };
  const { approver_id: approverId, runs: run } = call;
  if (approverId === null || approverId !== run?.user_id) return { kind: "owner" };
  return { kind: "asker", name: run.messages?.sender_name ?? "The person" };
}

const ANY_CHANGE = ["INSERT", "UPDATE"] as const;

/** The tool calls that the user decides. The one that expires next is the first. */
export function useApprovals(): ReadResult<readonly Approval[]> {
  const { id: userId } = useUser();
  const key = useMemo(() => ["tool_executions", "approvals", userId], [userId]);
  const reloadSoon = useReloadSoon(key, ANY_CHANGE);
  const { rows, failure, reload } = useRows({
    table: "tool_executions",
    key: key.slice(1),
    isBackground: true,
    // Most tool calls need no approval, and a request after each of them would use up the rate limit.
    reloadsItself: true,
    read: (client) =>
      client
        .from("tool_executions")
        .select<string, WaitingCall>(COLUMNS)
        .eq("status", "pending_approval")
        .is("may_decide", true)
        .order("expires_at")
        .limit(MAX_APPROVALS),
  });
  const onChange = useCallback(
    (change: RowEvent) => {
      const { status } = change.row as KeyedRow & Partial<Row<"tool_executions">>;
      if (status === "pending_approval") reloadSoon(change);
    },
    [reloadSoon],
  );
  useLiveTable("tool_executions", { isQuiet: true, onChange });
  const waiting = useMemo(() => rows?.filter(({ status }) => status === "pending_approval").map(toApproval), [rows]);
  return { rows: waiting, failure, reload };
}

function toApproval(call: WaitingCall): Approval {
  const { runs: run, tool_execution_payloads: payloads } = call;
  const message = run?.messages ?? null;
  return {
    id: call.id,
    runId: call.run_id,
    swarmId: call.swarm_id,
    swarmName: run?.swarms?.name ?? null,
    toolName: call.tool_name,
    agentName: call.agent_cards?.name ?? "An agent",
    asked: message === null ? null : { by: message.sender_name, text: message.content ?? "" },
    input: payloads?.input ?? null,
    question: (payloads?.question ?? null) as ToolQuestion | null,
    createdAt: call.created_at,
    expiresAt: call.expires_at,
  };
}
