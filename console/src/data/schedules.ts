import { type Database, invokeFunction } from "@swarmbase/sdk";
import type { Row } from "./client.ts";
import { containsText, newestAfter } from "./keyset.ts";
import { useLivePages } from "./live-pages.ts";
import { useLiveTable } from "./live.ts";
import { type Pages, type ReadResult, useRow } from "./rows.ts";
import { TARGETED_COLUMNS, type WithTarget } from "./run-targets.ts";
import { useWrite, type Write } from "./write.ts";

export type Schedule = Row<"schedules"> & WithTarget;

type Columns = Database["public"]["Tables"]["schedules"]["Insert"];
export type ScheduleDraft = Required<Omit<Columns, "id" | "user_id" | "agent_id" | "swarm_id" | "enabled">>;

/** The newest first. */
export function useSchedules(search: string): Pages<Schedule> {
  return useLivePages<Schedule>({
    table: "schedules",
    key: ["list", search],
    read: (client, { last, size }) => {
      let query = client.from("schedules").select(TARGETED_COLUMNS);
      if (search.trim() !== "") query = query.or(containsText(["name", "message"], search.trim()));
      return newestAfter(query, last).limit(size);
    },
  });
}

export function useSchedule(id: string): ReadResult<Schedule> {
  useLiveTable("schedules", { filter: `id=eq.${id}` });
  return useRow("schedules", id, { columns: TARGETED_COLUMNS });
}

/** Starts a run of the schedule with an id at once, and returns the id of the run. */
export function useRunNow(): Write<string, string> {
  return useWrite({
    tables: ["schedules", "runs"],
    write: async (client, id, key) => {
      const headers = { "Idempotency-Key": key };
      const body = { action: "run_now", schedule_id: id } as const;
      return (await invokeFunction(client, "schedules", body, { headers })).run_id;
    },
  });
}
