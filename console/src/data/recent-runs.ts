import { useMemo } from "react";
import type { Row } from "./client.ts";
import { useLiveTable } from "./live.ts";
import { hasEnded } from "./live-run.ts";
import { type ReadResult, useRows } from "./rows.ts";

export interface RecentRun
  extends Pick<Row<"runs">, "id" | "swarm_id" | "status" | "stop_reason" | "error" | "created_at"> {
  readonly swarms: { readonly name: string };
  readonly question: { readonly content: string | null; readonly sender_name: string } | null;
}

interface RecentRuns {
  /** The unfinished ones, the newest first. */
  readonly underWay: readonly RecentRun[];
  /** The last runs of swarms, where they failed. A later run that succeeded settles a failure. */
  readonly failed: readonly RecentRun[];
}

const MAX_RUNS = 60;
const HOUR_MS = 3_600_000;
const HOURS = 24;

/** The runs of the last day in all swarms, with one request. */
export function useRecentRuns(): ReadResult<RecentRuns> {
  useLiveTable("runs");
  // The same during an hour, so that the rows stay cached.
  const since = new Date((Math.floor(Date.now() / HOUR_MS) - HOURS) * HOUR_MS).toISOString();
  const { rows, failure, reload } = useRows({
    table: "runs",
    key: ["recent", since],
    read: (client) =>
      client
        .from("runs")
        .select(
          "id, swarm_id, status, stop_reason, error, created_at, swarms!inner(name), question:messages!runs_message_id_fkey(content, sender_name)",
        )
        .gte("created_at", since)
        .order("created_at", { ascending: false })
        .limit(MAX_RUNS),
  });
  const recent = useMemo(() => {
    if (rows === undefined) return undefined;
    const latest = [...Map.groupBy(rows, ({ swarm_id: id }) => id).values()].flatMap(([newest]) => newest ?? []);
    return {
      underWay: rows.filter((run) => !hasEnded(run)),
      failed: latest.filter(({ status }) => status === "failed"),
    };
  }, [rows]);
  return { rows: recent, failure, reload };
}
