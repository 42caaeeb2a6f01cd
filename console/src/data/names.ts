import { useMemo } from "react";
import type { Named } from "./choices.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useWebhookNames } from "./webhooks.ts";

const MAX_NAMES = 1_000;

function useNamesOf(table: "agents" | "swarms"): ReadResult<readonly Named[]> {
  return useRows({
    table,
    key: ["names"],
    read: (client) => client.from(table).select("id, name").order("name").limit(MAX_NAMES),
  });
}

/** The names of agents, swarms and webhooks, by id. */
export function useNames(): ReadonlyMap<string, string> {
  const { rows: agents } = useNamesOf("agents");
  const { rows: swarms } = useNamesOf("swarms");
  const { rows: webhooks } = useWebhookNames();
  return useMemo(
    () => new Map([...(agents ?? []), ...(swarms ?? []), ...(webhooks ?? [])].map(({ id, name }) => [id, name])),
    [agents, swarms, webhooks],
  );
}
