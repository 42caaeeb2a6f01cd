import type { Database } from "@swarmbase/sdk";
import { useMemo } from "react";
import { dropRow } from "./cached-rows.ts";
import { callService } from "./call-service.ts";
import { type Client, getClient, type Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { useOperator } from "./operator.ts";
import { useReloadSoon } from "./reload-soon.ts";
import { type Pages, type ReadResult, usePages, useRows } from "./rows.ts";
import { once, useWrite, type Write } from "./write.ts";

export type Grant = Row<"agent_grants">;
export type GrantColumns = Omit<Database["public"]["Tables"]["agent_grants"]["Insert"], "id" | "agent_id">;
export type Customer = Row<"agent_customers">;

/** The oldest first, as they apply among equals. Realtime does not publish the table. */
export function useGrants(agentId: string): Pages<Grant> {
  return usePages<Grant>({
    table: "agent_grants",
    key: ["of", agentId],
    read: (client, { last, size }) => {
      const query = client.from("agent_grants").select("*").eq("agent_id", agentId).order("id").limit(size);
      return last === null ? query : query.gt("id", last.id);
    },
  });
}

export interface GrantChange {
  readonly agentId: string;
  /** Null for a new grant. */
  readonly base: Grant | null;
  readonly columns: Partial<GrantColumns>;
}

/** Operators grant an agent to everyone and to a claim with the rights of the service; others where the service lets users publish. */
export function useCanPublish(): boolean {
  const { rows: operator } = useOperator();
  return operator?.isOperator === true && operator.lacks === null;
}

export function useSaveGrant(): Write<GrantChange, boolean> {
  const canPublish = useCanPublish();
  return useWrite({
    tables: ["agent_grants"],
    write: async (client, change, key) => {
      const audience = change.base?.audience ?? change.columns.audience;
      if (canPublish && audience !== "user") await saveAsOperator(change);
      else await saveAsOwner(client, change, key);
      return true;
    },
  });
}

async function saveAsOwner(client: Client, { agentId, base, columns }: GrantChange, key: string): Promise<void> {
  // Whom a grant is for cannot change.
  const { audience = "user", user_id: userId = null, ...changed } = columns;
  if (base !== null) await unwrap(client.from("agent_grants").update(changed).eq("id", base.id).select("id").single());
  else {
    const row = { ...changed, audience, user_id: userId, agent_id: agentId };
    await unwrap(once(client.from("agent_grants").insert(row).select("id").single(), key));
  }
}

const OPERATOR_PATH = "/operator/v1/tables/public/agent_grants";

/** The table editor of operators writes as the service role: a row of a file, and changes with the values before. */
async function saveAsOperator({ agentId, base, columns }: GrantChange): Promise<void> {
  const names = Object.keys(columns) as (keyof GrantColumns)[];
  if (base === null) {
    const cells = [agentId, ...names.map((name) => toText(columns[name]))];
    const body = `agent_id,${names.join()}\r\n${cells.map(quoteCell).join()}\r\n`;
    await callService(getClient(), `${OPERATOR_PATH}/csv`, {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body,
    });
    return;
  }
  const changes = Object.fromEntries(
    names.map((name) => [name, { from: toText(base[name]), to: toText(columns[name]) }] as const),
  );
  await callService(getClient(), `${OPERATOR_PATH}/rows`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key: { id: base.id }, changes }),
  });
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** An empty cell is null. */
function quoteCell(text: string | null): string {
  return text === null ? "" : `"${text.replaceAll('"', '""')}"`;
}

/** Also of grants that the owner may not create. */
export function useDeleteGrant(): Write<string, boolean> {
  return useWrite({
    tables: ["agent_grants"],
    optimistic: (id) => [{ table: "agent_grants", change: dropRow(id) }],
    write: async (client, id) => {
      await unwrap(client.from("agent_grants").delete().eq("id", id));
      return true;
    },
  });
}

export const CUSTOMER_ORDERS = ["last_run_at", "runs", "cost_usd", "errors", "full_name"] as const;
export type CustomerOrder = (typeof CUSTOMER_ORDERS)[number];
export const MAX_CUSTOMERS = 500;
const NEW_RECORD = ["INSERT"] as const;

/** The first ones in the order, with figures and without any content. */
export function useCustomers(agentId: string, order: CustomerOrder): ReadResult<readonly Customer[]> {
  // Realtime publishes no changes of views.
  const onChange = useReloadSoon(
    useMemo(() => ["agent_customers", "of", agentId], [agentId]),
    NEW_RECORD,
  );
  useLiveTable("usage_records", { filter: `agent_id=eq.${agentId}`, onChange });
  return useRows({
    table: "agent_customers",
    key: ["of", agentId, order],
    follows: ["usage_records"],
    read: (client, signal) =>
      client
        .from("agent_customers")
        .select("*")
        .eq("agent_id", agentId)
        .order(order, { ascending: order === "full_name" })
        .order("user_id")
        .limit(MAX_CUSTOMERS)
        .abortSignal(signal),
  });
}
