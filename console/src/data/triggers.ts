import { type Database, invokeFunction } from "@swarmbase/sdk";
import type { Row } from "./client.ts";
import { containsText, newestAfter } from "./keyset.ts";
import { useLivePages } from "./live-pages.ts";
import { useLiveTable } from "./live.ts";
import { type Pages, type ReadResult, useRow } from "./rows.ts";
import { TARGETED_COLUMNS, type WithTarget } from "./run-targets.ts";
import { useWrite, type Write } from "./write.ts";

export type Trigger = Row<"triggers"> & WithTarget;

export type TriggerCall = Row<"trigger_calls">;

type Columns = Database["public"]["Tables"]["triggers"]["Insert"];
export type TriggerDraft = Pick<Columns, "name" | "message" | "verification"> &
  Required<
    Pick<
      Columns,
      | "conversation"
      | "signature_header"
      | "signature_encoding"
      | "signature_prefix"
      | "event_id_path"
      | "filter"
      | "calls_per_minute"
      | "max_tokens"
      | "max_cost_usd"
      | "allowed_tools"
      | "pause_after_failures"
    >
  >;

/** The newest first. */
export function useTriggers(search: string): Pages<Trigger> {
  return useLivePages<Trigger>({
    table: "triggers",
    key: ["list", search],
    read: (client, { last, size }) => {
      let query = client.from("triggers").select(TARGETED_COLUMNS);
      if (search.trim() !== "") query = query.or(containsText(["name", "message"], search.trim()));
      return newestAfter(query, last).limit(size);
    },
  });
}

export function useTrigger(id: string): ReadResult<Trigger> {
  useLiveTable("triggers", { filter: `id=eq.${id}` });
  return useRow("triggers", id, { columns: TARGETED_COLUMNS });
}

/** The newest first. */
export function useTriggerCalls(triggerId: string): Pages<TriggerCall> {
  return useLivePages<TriggerCall>({
    table: "trigger_calls",
    key: ["of", triggerId],
    filter: `trigger_id=eq.${triggerId}`,
    read: (client, { last, size }) =>
      newestAfter(client.from("trigger_calls").select("*").eq("trigger_id", triggerId), last).limit(size),
  });
}

/** Stores a secret, or without one has the service make it, and returns the one that was made. */
export function useSetSecret(): Write<
  { readonly id: string; readonly secret: string },
  { readonly secret: string | null }
> {
  return useWrite({
    tables: ["triggers"],
    write: async (client, { id, secret }) => {
      const body = { action: "set_secret", trigger_id: id, ...(secret !== "" && { secret }) } as const;
      return { secret: (await invokeFunction(client, "triggers", body)).secret ?? null };
    },
  });
}

/** Starts another run with the payload of the call with an id. */
export function useReplayCall(): Write<string, string> {
  return useWrite({
    tables: ["trigger_calls", "runs"],
    write: async (client, id, key) => {
      const headers = { "Idempotency-Key": key };
      return (await invokeFunction(client, "triggers", { action: "replay", call_id: id }, { headers })).run_id;
    },
  });
}
