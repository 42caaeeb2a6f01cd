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
    read: (client, signal) =>
      client.from("api_keys").select("*").order("created_at", { ascending: false }).abortSignal(signal),
  });
}

export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  /** Null: the key does not expire, or as late as the service permits. */
  readonly lifetimeDays: number | null;
}

/** Returns the key, which is shown only once. */
export function useCreateApiKey(): Write<NewApiKey, string> {
  return useWrite({
    tables: ["api_keys"],
    write: async (client, { lifetimeDays, ...key }) => {
      const expiresAt = lifetimeDays === null ? null : new Date(Date.now() + lifetimeDays * DAY_MS).toISOString();
      const body = { action: "create", ...key, expires_at: expiresAt };
      return ((await unwrap(client.functions.invoke(NAME, { body }))) as { key: string }).key;
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
