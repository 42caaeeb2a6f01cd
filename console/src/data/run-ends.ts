import { getClient, type Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useRows } from "./rows.ts";

/** A stored run that ended before all agents had replied. */
export interface StoredRunEnd extends Pick<Row<"runs">, "id" | "status" | "stop_reason" | "error" | "message_id"> {
  /** The failed turns. */
  readonly run_turns: readonly Pick<Row<"run_turns">, "agent_name" | "error">[];
}

/** Stop reasons that the conversation does not mention. */
export const QUIET_ENDS = ["all_replied", "no_reply_needed"] as const satisfies readonly Row<"runs">["stop_reason"][];
const MAX_ENDS = 1_000;
const NO_ENDS: readonly StoredRunEnd[] = [];

/** The incomplete runs since a time, usually that of the oldest loaded message. The caller must use `useLiveTable("runs")`. */
export function useStoredRunEnds(swarmId: string, since: string | null): readonly StoredRunEnd[] {
  const { rows } = useRows({
    table: "runs",
    key: ["ends", swarmId, since],
    isOn: since !== null,
    read: (client) =>
      client
        .from("runs")
        .select("id, status, stop_reason, error, message_id, run_turns(agent_name, error)")
        .eq("swarm_id", swarmId)
        .not("stop_reason", "is", null)
        .not("stop_reason", "in", `(${QUIET_ENDS.join()})`)
        .gte("created_at", since ?? "")
        .eq("run_turns.status", "failed")
        .order("id", { ascending: false })
        .limit(MAX_ENDS),
  });
  return rows ?? NO_ENDS;
}

/** The question of a run, to ask it again. */
export interface AskedQuestion {
  readonly content: string;
  readonly replyToId: string | null;
  readonly agentIds?: readonly string[] | undefined;
}

/** Returns null if the question was deleted. */
export async function readQuestion(runId: string): Promise<AskedQuestion | null> {
  const run = await unwrap(
    getClient()
      .from("runs")
      .select("request, question:messages!runs_message_id_fkey(content, reply_to_id)")
      .eq("id", runId)
      .maybeSingle(),
  );
  const content = run?.question?.content ?? null;
  if (run === null || content === null) return null;
  const agentIds = run.request["agent_ids"];
  return {
    content,
    replyToId: run.question?.reply_to_id ?? null,
    agentIds: Array.isArray(agentIds) ? agentIds.filter((id) => typeof id === "string") : undefined,
  };
}
