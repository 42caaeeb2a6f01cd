import type { Database } from "@swarmbase/sdk";
import { useMemo } from "react";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { type OperatorCall, useOperator, useOperatorCall } from "./operator.ts";
import { useReloadSoon } from "./reload-soon.ts";
import { type Pages, type ReadResult, usePages, useRows } from "./rows.ts";
import { once, useWrite, type Write } from "./write.ts";

export type Grant = Row<"agent_grants">;
export type GrantColumns = Partial<Omit<Database["public"]["Tables"]["agent_grants"]["Insert"], "id" | "agent_id">>;
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

interface GrantChange {
  readonly agentId: string;
  /** Null for a new grant. */
  readonly base: Grant | null;
  readonly columns: GrantColumns;
}

/** Operators grant an agent to everyone and to a claim with the rights of the service; others where the service lets users publish. */
export function useCanPublish(): boolean {
  const { rows: operator } = useOperator();
  return operator?.isOperator === true && operator.lacks === null;
}

export function useSaveGrant(): Write<GrantChange, unknown> {
  const canPublish = useCanPublish();
  const callOperator = useOperatorCall();
  return useWrite<GrantChange, unknown>({
    tables: ["agent_grants"],
    write: (client, change, key) => {
      const { agentId, base, columns } = change;
      if (canPublish && (base ?? columns).audience !== "user") return callOperator(toOperatorCall(change));
      const grants = client.from("agent_grants");
      // Whom a grant is for cannot change.
      const { audience = "user", user_id: userId = null, ...terms } = columns;
      if (base !== null) return unwrap(grants.update(terms).eq("id", base.id).select("id").single());
      const row = { ...terms, audience, user_id: userId, agent_id: agentId };
      return unwrap(once(grants.insert(row).select("id").single(), key));
    },
  });
}

/** The table editor of operators writes as the service role: a row of a file, and changes with the values before. */
function toOperatorCall({ agentId, base, columns }: GrantChange): OperatorCall {
  const path = "/tables/public/agent_grants";
  const names = Object.keys(columns) as (keyof GrantColumns)[];
  if (base === null) {
    const cells = [agentId, ...names.map((name) => toText(columns[name]))];
    // An empty cell is null.
    const quoted = cells.map((text) => (text === null ? "" : `"${text.replaceAll('"', '""')}"`));
    return { method: "POST", path: `${path}/csv`, body: `agent_id,${names.join()}\r\n${quoted.join()}\r\n` };
  }
  const changes = names.map((name) => [name, { from: toText(base[name]), to: toText(columns[name]) }] as const);
  return {
    method: "PATCH",
    path: `${path}/rows`,
    body: { key: { id: base.id }, changes: Object.fromEntries(changes) },
  };
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const CUSTOMER_ORDERS = ["cost_usd", "errors", "runs", "last_run_at", "full_name"] as const;
export type CustomerOrder = (typeof CUSTOMER_ORDERS)[number];
export const MAX_CUSTOMERS = 500;
const NEW_RECORD = ["INSERT"] as const;

/** The first ones in the order, with figures and without any content. Of all agents without an id. */
export function useCustomers(
  agentId: string | null,
  order: CustomerOrder,
  limit = MAX_CUSTOMERS,
): ReadResult<readonly Customer[]> {
  // Realtime publishes no changes of views.
  const onChange = useReloadSoon(
    useMemo(() => ["agent_customers", "of", agentId], [agentId]),
    NEW_RECORD,
  );
  useLiveTable("usage_records", { ...(agentId !== null && { filter: `agent_id=eq.${agentId}` }), onChange });
  return useRows({
    table: "agent_customers",
    key: ["of", agentId, order],
    follows: ["usage_records"],
    read: (client) => {
      const all = client.from("agent_customers").select("*").limit(limit);
      const query = agentId === null ? all : all.eq("agent_id", agentId);
      return query.order(order, { ascending: order === "full_name" }).order("user_id");
    },
  });
}
