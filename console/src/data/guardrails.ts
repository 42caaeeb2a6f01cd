import type { Database } from "@swarmbase/sdk";
import { type Choices, type Named, useChoices, withRole } from "./choices.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { containsText, newestAfter } from "./keyset.ts";
import { type Pages, type ReadResult, usePages, useRow, useRows } from "./rows.ts";
import { useUser } from "./session.ts";
import { useWrite, type Write } from "./write.ts";

export interface Guardrail extends Omit<Row<"guardrails">, "secret"> {
  readonly agents: { readonly name: string } | null;
  readonly swarms: { readonly name: string } | null;
}

/** The agent or the swarm that a guardrail belongs to. */
export type GuardrailOwner = { readonly agent_id: string } | { readonly swarm_id: string };

type Columns = Database["public"]["Tables"]["guardrails"]["Insert"];
export type GuardrailDraft = Required<Pick<Columns, "name" | "stage" | "action" | "config" | "position" | "is_active">>;

/** Without the secret, which is read when it is shown. */
export const GUARDRAIL_COLUMNS =
  "id, agent_id, swarm_id, name, kind, stage, action, config, position, is_active, created_at, updated_at, agents(name), swarms(name)";

interface GuardrailFilter {
  readonly search: string;
  /** Null for all that the user manages. */
  readonly owner: GuardrailOwner | null;
}

/** The newest first. Realtime does not publish the table. */
export function useGuardrails({ search, owner }: GuardrailFilter): Pages<Guardrail> {
  return usePages<Guardrail>({
    table: "guardrails",
    key: ["list", search, owner],
    read: (client, { last, size }) => {
      let query = client.from("guardrails").select(GUARDRAIL_COLUMNS);
      if (owner !== null) query = query.match(owner);
      if (search.trim() !== "") query = query.or(containsText(["name"], search.trim()));
      return newestAfter(query, last).limit(size);
    },
  });
}

/** In the order in which they apply. There are at most 20. */
export function useGuardrailsOf(owner: GuardrailOwner): ReadResult<readonly Guardrail[]> {
  return useRows({
    table: "guardrails",
    key: ["of", owner],
    read: (client) => client.from("guardrails").select(GUARDRAIL_COLUMNS).match(owner).order("position").order("id"),
  });
}

export function useGuardrail(id: string): ReadResult<Guardrail> {
  return useRow("guardrails", id, { columns: GUARDRAIL_COLUMNS });
}

/** The swarms whose guardrails the user manages. */
export function useManagedSwarms(ids: readonly string[]): Choices<Named> {
  return useChoices("swarms", { ...withRole(useUser().id, "owner,admin"), ids });
}

/** The secret that signs the requests of a webhook. It is never cached. */
export function useRevealGuardrailSecret(): Write<string, string> {
  return useWrite({
    tables: [],
    write: async (client, id) =>
      (await unwrap(client.from("guardrails").select("secret").eq("id", id).single())).secret ?? "",
  });
}
