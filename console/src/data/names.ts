import { useMemo } from "react";
import { useRows } from "./rows.ts";
import { useWebhookNames } from "./webhooks.ts";

/** The names of agents, swarms and webhooks, by id. */
export function useNames(): ReadonlyMap<string, string> {
  const { rows: agents } = useRows({
    table: "agents",
    key: ["names"],
    read: (client, signal) => client.from("agents").select("id, name").limit(1_000).abortSignal(signal),
  });
  const { rows: swarms } = useRows({
    table: "swarms",
    key: ["names"],
    read: (client, signal) => client.from("swarms").select("id, name").limit(1_000).abortSignal(signal),
  });
  const { rows: webhooks } = useWebhookNames();
  return useMemo(
    () => new Map([...(agents ?? []), ...(swarms ?? []), ...(webhooks ?? [])].map(({ id, name }) => [id, name])),
    [agents, swarms, webhooks],
  );
}
