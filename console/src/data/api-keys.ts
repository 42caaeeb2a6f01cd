import type { ApiKeyScope } from "@swarmbase/sdk";
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

/** An agent or a swarm that a key or a connected program can be bound to. */
export interface KeyResource {
  readonly kind: "agents" | "swarms";
  readonly id: string;
  readonly label: string;
}

/** The agents of the user and the swarms in which the user takes part. */
export function useKeyResources(isNeeded: boolean): ReadResult<readonly KeyResource[]> {
  const { id: userId } = useUser();
  return useRows({
    table: "agents",
    key: ["bound to keys", userId],
    isOn: isNeeded,
    follows: ["swarms"],
    read: async (client) => {
      const [agents, swarms] = await Promise.all([
        client.from("agents").select("id, name").order("name"),
        client.from("swarms").select("id, name").order("name"),
      ]);
      const list = (kind: KeyResource["kind"], { data }: typeof agents): KeyResource[] =>
        (data ?? []).map(({ id, name }) => ({ kind, id, label: name }));
      return { ...agents, data: [...list("agents", agents), ...list("swarms", swarms)] };
    },
  });
}

/** The ids, as keys and programs are bound to them. */
export interface Bound {
  readonly agents: readonly string[];
  readonly swarms: readonly string[];
}

export function toBound(resources: readonly KeyResource[]): Bound {
  const idsOf = (wanted: KeyResource["kind"]) => resources.filter(({ kind }) => kind === wanted).map(({ id }) => id);
  return { agents: idsOf("agents"), swarms: idsOf("swarms") };
}

export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  /** Null: the key is not bound. */
  readonly resources: readonly KeyResource[] | null;
  /** Null: the key does not expire, or as late as the service permits. */
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
