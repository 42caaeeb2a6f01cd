import type { WriteAttempt } from "../../rest/index.ts";
import { type Row, valueOf } from "../fields/field.ts";
import { canonicalUuid } from "../fields/uuid-field.ts";
import { isSharedTable, type Owners } from "../sql/owners.ts";
import type { ReasonInput } from "./find-reason.ts";

/** Loads what the reasons need to know about a row that a user may not write. */
export async function loadReasonInput(
  owners: Owners,
  { relation: { name }, operation, pinnedId }: WriteAttempt,
  { row, callerId }: Pick<ReasonInput, "row" | "callerId">,
): Promise<ReasonInput> {
  const id = idIn(row, "id") ?? canonicalUuid(pinnedId);
  const target = id === null || !isSharedTable(name) ? null : await owners.findTarget(name, id, callerId);
  // A new row contains its swarm; an existing row cannot be moved by the body.
  const sent = operation === "update" || operation === "delete" ? null : idIn(row, "swarm_id");
  const swarmId = sent ?? target?.swarm_id ?? null;
  const toolId = name === "agent_tools" ? idIn(row, "tool_id") : null;
  return {
    operation: operation === "upsert" ? "insert" : operation,
    row,
    callerId,
    membership: swarmId === null ? null : await owners.findMembership(swarmId, callerId),
    target,
    isOthers: target === null ? await isForeign(owners, name, id, callerId) : !target.is_own,
    tool: toolId === null ? null : await owners.findTarget("tools", toolId, callerId),
  };
}

async function isForeign(owners: Owners, table: string, id: string | null, callerId: string): Promise<boolean> {
  if (id === null || (table !== "agents" && table !== "webhooks")) return false;
  const ownerId = (await owners.find(table, [id])).get(id) ?? null;
  return ownerId !== null && ownerId !== callerId;
}

export function idIn(row: Row, column: string): string | null {
  return canonicalUuid(valueOf(row, column));
}
