import { type Database, invokeFunction } from "@swarmbase/sdk";
import { useDeleteRow, useUpdateRow } from "./changed-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { containsText, newestAfter } from "./keyset.ts";
import { useLivePages } from "./live-pages.ts";
import { useLiveTable } from "./live.ts";
import { usePublishedAgents } from "./published-agents.ts";
import { type Pages, type ReadResult, useRow, useRows } from "./rows.ts";
import { type SaveEdit, useSaveEdit } from "./save-edit.ts";
import { useUser } from "./session.ts";
import { useAgentChoices } from "./swarm-agents.ts";
import { once, useWrite, type Write } from "./write.ts";

export interface Schedule extends Row<"schedules"> {
  /** Null also for an agent of somebody else. */
  readonly agents: { readonly name: string } | null;
  readonly swarms: { readonly name: string } | null;
}

/** The agent or the swarm that gets the message. */
type ScheduleTarget = { readonly agent_id: string } | { readonly swarm_id: string };

type Columns = Database["public"]["Tables"]["schedules"]["Insert"];
export type ScheduleDraft = Required<Omit<Columns, "id" | "user_id" | "agent_id" | "swarm_id" | "enabled">>;

const COLUMNS = "*, agents(name), swarms(name)";

/** The newest first. */
export function useSchedules(search: string): Pages<Schedule> {
  return useLivePages<Schedule>({
    table: "schedules",
    key: ["list", search],
    read: (client, { last, size }) => {
      let query = client.from("schedules").select(COLUMNS);
      if (search.trim() !== "") query = query.or(containsText(["name", "message"], search.trim()));
      return newestAfter(query, last).limit(size);
    },
  });
}

export function useSchedule(id: string): ReadResult<Schedule> {
  useLiveTable("schedules", { filter: `id=eq.${id}` });
  return useRow("schedules", id, { columns: COLUMNS });
}

export interface TargetChoice {
  readonly value: string;
  readonly label: string;
  readonly target: ScheduleTarget;
}

/** The user's agents, those that the user may ask, and the swarms in which the user writes; undefined until they are loaded. */
export function useScheduleTargets(): readonly TargetChoice[] | undefined {
  const user = useUser();
  const { rows: own } = useAgentChoices();
  const { rows: published } = usePublishedAgents();
  const { rows: swarms } = useRows({
    table: "swarms",
    key: ["writable"],
    read: (client) =>
      client
        .from("swarms")
        .select("id, name, mine:swarm_members!inner(id)")
        .eq("mine.user_id", user.id)
        .in("mine.role", ["owner", "admin", "member"])
        .order("name")
        .limit(1_000),
  });
  if (own === undefined || published === undefined || swarms === undefined) return undefined;
  const ownIds = new Set(own.map(({ id }) => id));
  return [
    ...[...own, ...published.filter(({ id }) => !ownIds.has(id))].map(({ id, name }) => ({
      value: id,
      label: `Agent ${name}`,
      target: { agent_id: id },
    })),
    ...swarms.map(({ id, name }) => ({ value: id, label: `Swarm ${name}`, target: { swarm_id: id } })),
  ];
}

export type NewSchedule = ScheduleDraft & { readonly target: ScheduleTarget };

export function useCreateSchedule(): Write<NewSchedule, { readonly id: string }> {
  return useWrite({
    tables: ["schedules"],
    write: (client, { target, ...draft }, key) => {
      const inserted = client.from("schedules").insert({ ...draft, ...target });
      return unwrap(once(inserted.select("id").single(), key));
    },
  });
}

export function useSaveSchedule(): SaveEdit<Schedule, ScheduleDraft> {
  return useSaveEdit({ table: "schedules", columns: COLUMNS });
}

export function useSetScheduleEnabled(): Write<Pick<Schedule, "id" | "enabled">, { readonly id: string }> {
  return useUpdateRow("schedules");
}

export function useDeleteSchedule(): Write<string, string> {
  return useDeleteRow("schedules", []);
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
