import type { ApiKeyScope } from "@swarmbase/sdk";
import { type AgentOrSwarm, useAgentsAndSwarms, useChoices } from "./choices.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useUser } from "./session.ts";
import { useWrite, type Write } from "./write.ts";

const NAME = "api-keys";
const DAY_MS = 86_400_000;

/** The API keys of the user, the newest first. */
export function useApiKeys(): ReadResult<readonly Row<"api_keys">[]> {
  const { id: userId } = useUser();
  return useRows({
    table: "api_keys",
    key: ["mine", userId],
    read: (client) => client.from("api_keys").select("*").order("created_at", { ascending: false }),
  });
}

/** The agents of the user and the swarms in which the user takes part, also those that are chosen. */
export function useKeyResources(isOn: boolean, chosen: readonly string[] | null) {
  const options = { isOn, ids: chosen ?? [] };
  return useAgentsAndSwarms(useChoices("agents", options), useChoices("swarms", options));
}

/** The ids, as keys and programs are bound to them. */
export interface Bound {
  readonly agents: readonly string[];
  readonly swarms: readonly string[];
}

export function toBound(resources: readonly AgentOrSwarm[]): Bound {
  const idsOf = (wanted: AgentOrSwarm["kind"]) => resources.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  return { agents: idsOf("agents"), swarms: idsOf("swarms") };
}

interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  /** Null means that the key is not bound. */
  readonly resources: readonly AgentOrSwarm[] | null;
  /** Null means that the key does not expire, or as late as the service permits. */
  readonly lifetimeDays: number | null;
}

/** Returns the key, which is shown only once. */
export function useCreateApiKey(): Write<NewApiKey, string> {
  return useWrite({
    tables: ["api_keys"],
    write: async (client, { resources, lifetimeDays, ...key }, requestKey) => {
      const bound = resources === null ? {} : { resources: toBound(resources) };
      const expiresAt = lifetimeDays === null ? null : new Date(Date.now() + lifetimeDays * DAY_MS).toISOString();
      const body = { action: "create", ...key, ...bound, expires_at: expiresAt };
      const headers = { "Idempotency-Key": requestKey };
      return ((await unwrap(client.functions.invoke(NAME, { body, headers }))) as { key: string }).key;
    },
  });
}

export function useRevokeApiKey(): Write<string, boolean> {
  return useWrite({
    tables: ["api_keys"],
    write: async (client, id) => {
      await unwrap(client.functions.invoke(NAME, { body: { action: "revoke", id } }));
      return true;
    },
  });
}
