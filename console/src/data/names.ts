import { useMemo } from "react";
import { type ReadResult, useRows } from "./rows.ts";
import { useWebhookNames } from "./webhooks.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

const MAX_NAMES = 1_000;
const NONE: readonly Named[] = [];

function useAgentNames(): ReadResult<readonly Named[]> {
  return useRows({
    table: "agents",
    key: ["names"],
    read: (client) => client.from("agents").select("id, name").order("name").limit(MAX_NAMES),
  });
}

function useSwarmNames(): ReadResult<readonly Named[]> {
  return useRows({
    table: "swarms",
    key: ["names"],
    read: (client) => client.from("swarms").select("id, name").order("name").limit(MAX_NAMES),
  });
}

/** The swarms that a tool of the user can name. */
export function useOwnSwarms(userId: string): ReadResult<readonly Named[]> {
  return useRows({
    table: "swarms",
    key: ["own names", userId],
    read: (client) => client.from("swarms").select("id, name").eq("owner_id", userId).order("name").limit(MAX_NAMES),
  });
}

export interface NameChoice {
  readonly value: string;
  readonly label: string;
}

/** The swarms and agents to choose from, by name. */
export function useRunChoices(): Readonly<Record<"swarms" | "agents", readonly NameChoice[]>> {
  const { rows: agents = NONE } = useAgentNames();
  const { rows: swarms = NONE } = useSwarmNames();
  return useMemo(() => {
    const toChoices = (rows: readonly Named[]) => rows.map(({ id, name }) => ({ value: id, label: name }));
    return { swarms: toChoices(swarms), agents: toChoices(agents) };
  }, [agents, swarms]);
}

/** The names of agents, swarms and webhooks, by id. */
export function useNames(): ReadonlyMap<string, string> {
  const { rows: agents } = useAgentNames();
  const { rows: swarms } = useSwarmNames();
  const { rows: webhooks } = useWebhookNames();
  return useMemo(
    () => new Map([...(agents ?? []), ...(swarms ?? []), ...(webhooks ?? [])].map(({ id, name }) => [id, name])),
    [agents, swarms, webhooks],
  );
}
