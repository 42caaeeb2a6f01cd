import type { ClientBase } from "pg";
import { decideRequirements, type NodeNeeds, type RequirementReport } from "./decide-requirements.ts";
import { OWNER_ROLE, REPLICA_ROLE, ROLES } from "./plan-roles.ts";
import { selectServerFacts } from "./sql/select-server-facts.ts";
import { type ServerHealth, selectServerHealth } from "./sql/select-server-health.ts";

const SCHEMAS = ["auth", "private", "realtime"] as const;

export interface ServerReport extends RequirementReport {
  readonly health: ServerHealth;
}

/** Reads everything that doctor needs to know about a server, as its administrator. Changes nothing. */
export async function inspectServer(
  client: ClientBase,
  { longTransactionSeconds, needs }: { readonly longTransactionSeconds: number; readonly needs: NodeNeeds },
): Promise<ServerReport> {
  const facts = await selectServerFacts(client, { roles: ROLES, ownerRole: OWNER_ROLE, schemas: SCHEMAS });
  const health = await selectServerHealth(client, {
    roles: ROLES,
    replicaRole: REPLICA_ROLE,
    longSeconds: longTransactionSeconds,
  });
  return { ...decideRequirements(facts, needs), health };
}
