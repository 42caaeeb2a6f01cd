import { type Json, type RunStatus, signal } from "@swarmbase/sdk";
import { useMemo } from "react";
import { replaceRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { useLiveTable } from "./live.ts";
import { cancelRun, type Decision, decideToolCall } from "./respond.ts";
import { useRows } from "./rows.ts";
import { useWrite } from "./write.ts";

export interface ToolCall extends Row<"tool_executions"> {
  /** Null if the user may not see input and output. */
  readonly tool_execution_payloads: {
    readonly input: Json | null;
    readonly output: Json | null;
    readonly question: Json | null;
  } | null;
}

const UNDER_WAY = ["queued", "running", "requires_action", "waiting"] as const satisfies readonly RunStatus[];

/** The newest unfinished runs of a swarm, the oldest first. Many others may wait. */
export function useLiveRuns(swarmId: string): readonly Pick<Row<"runs">, "id" | "status">[] {
  useLiveTable("runs", { filter: `swarm_id=eq.${swarmId}` });
  const { rows = [] } = useRows({
    table: "runs",
    key: ["live", swarmId],
    read: (client) =>
      client
        .from("runs")
        .select("id, status")
        .eq("swarm_id", swarmId)
        .in("status", UNDER_WAY)
        .order("id", { ascending: false })
        .limit(20),
  });
  return rows.filter(({ status }) => UNDER_WAY.some((live) => live === status)).toReversed();
}

export type ToolMark = Pick<Row<"tool_executions">, "id" | "turn_id" | "tool_name" | "status" | "duration_ms">;
const MAX_MARKS = 300;

/** The newest tool calls of a swarm without input and output, by turn. */
export function useToolMarks(swarmId: string): ReadonlyMap<string, readonly ToolMark[]> {
  const { rows } = useRows({
    table: "tool_executions",
    key: ["marks", swarmId],
    read: (client) =>
      client
        .from("tool_executions")
        .select("id, turn_id, tool_name, status, duration_ms")
        .eq("swarm_id", swarmId)
        .order("id", { ascending: false })
        .limit(MAX_MARKS),
  });
  return useMemo(() => Map.groupBy(rows?.toReversed() ?? [], ({ turn_id: id }) => id), [rows]);
}

export type Answer = Pick<Row<"messages">, "id" | "content" | "sender_name" | "turn_id">;

export function useCancelRun() {
  return useWrite<string, void>({ tables: ["runs"], write: (_client, runId) => cancelRun(runId) });
}

/** Ends the oldest wait of the run for an event of this name. */
export function useSendSignal(runId: string) {
  return useWrite<{ readonly name: string; readonly data: Json }, unknown>({
    tables: ["runs", "tool_executions"],
    write: (client, { name, data }, key) =>
      signal(client, { run_id: runId, name, data }, { headers: { "Idempotency-Key": key } }),
  });
}

/** Decides a tool call that waits, for its form. */
export function useDecision(call: Pick<Decision, "runId" | "toolExecutionId">) {
  const { run, failure } = useWrite<Decision, void>({
    tables: ["tool_executions", "runs"],
    optimistic: ({ toolExecutionId, isApproved }) => [
      {
        table: "tool_executions",
        change: replaceRow({ id: toolExecutionId, status: isApproved ? "running" : "denied" } as { id: string }),
      },
    ],
    write: (_client, decision) => decideToolCall(decision),
  });
  return {
    callId: call.toolExecutionId,
    failure: failure?.message ?? null,
    onDecide: async (isApproved: boolean, content?: Decision["content"]): Promise<boolean> =>
      (await run({ ...call, isApproved, ...(content !== undefined && { content }) })) !== null,
  };
}
