import type { Json } from "@swarmbase/sdk";
import { memberOf } from "../model/json.ts";
import type { RemoteRow, SwarmAgent } from "../service/read-remote.ts";
import { diffValues } from "./diff-values.ts";
import type { Match } from "./match.ts";
import type { Draft } from "./plan.ts";
import { linkStep, placeOf } from "./plan-rows.ts";

const LINK = { noun: "swarm agent", table: "swarm_agents", list: "agents" } as const;

interface SwarmAgentInput {
  readonly swarm: Match;
  /** The owner's agents in this swarm; those of other members are theirs to manage. */
  readonly stored: readonly SwarmAgent[];
  /** Ids of all agents of the owner. */
  readonly ownIds: ReadonlySet<string>;
  /** Id and key of each agent of the files. */
  readonly agents: readonly { readonly key: string; readonly id: string }[];
}

interface Wanted {
  readonly key: string;
  readonly id: string;
  readonly enabled: boolean;
  readonly roleOverride: string | null;
  readonly index: number;
}

/** Steps that put the agents of the file into the swarm, in its order, and select the coordinator. */
export function planSwarmAgents({ swarm, stored, ownIds, agents }: SwarmAgentInput, draft: Draft): void {
  const { resource, id: swarmId } = swarm;
  const wanted = readWanted(memberOf(resource.given, "agents"), agents);
  const positions = choosePositions(
    wanted.map(({ id }) => id),
    stored,
  );
  for (const { key, id, enabled, roleOverride, index } of wanted) {
    const row = stored.find(({ agentId }) => agentId === id) ?? null;
    const position = positions.get(id) ?? null;
    const after = { position, enabled, role_override: roleOverride };
    const before =
      row === null ? { position } : { position: row.position, enabled: row.enabled, role_override: row.roleOverride };
    const shown =
      row === null
        ? { position, ...(!enabled && { enabled }), ...(roleOverride !== null && { role_override: roleOverride }) }
        : after;
    const changes = diffValues([], { before, after: shown, raw: undefined, isSensitive: () => false });
    if (row !== null && changes.length === 0) {
      draft.unchanged += 1;
      continue;
    }
    draft.steps.push({
      ...linkStep(LINK, resource, key),
      action: row === null ? "create" : "update",
      place: placeOf(resource, "agents", index),
      changes,
      id: row?.id ?? null,
      filter: row === null ? {} : guardOf(row),
      body: row === null ? { swarm_id: swarmId, agent_id: id, ...after } : after,
      needs: [swarmId, id],
      lineOf: (field) => placeOf(resource, "agents", index, field),
    });
  }
  planCoordinator({ swarm, ownIds, agents }, draft);
  const wantedIds = new Set(wanted.map(({ id }) => id));
  for (const row of stored.filter(({ agentId }) => !wantedIds.has(agentId))) {
    const name = agents.find(({ id }) => id === row.agentId)?.key ?? row.agentId;
    draft.deletions.push({
      ...linkStep(LINK, resource, name),
      action: "delete",
      id: row.id,
      filter: guardOf(row),
    });
  }
}

function readWanted(given: Json | undefined, agents: SwarmAgentInput["agents"]): readonly Wanted[] {
  return (Array.isArray(given) ? given : []).flatMap((entry, index) => {
    const key = memberOf(entry, "agent");
    const agent = agents.find((each) => each.key === key);
    const role = memberOf(entry, "role_override");
    if (agent === undefined) return [];
    return {
      ...agent,
      enabled: memberOf(entry, "enabled") !== false,
      roleOverride: typeof role === "string" ? role : null,
      index,
    };
  });
}

/**
 * The order counts, not the numbers: positions stay while the order is right. Otherwise each agent keeps its position when that is
 * behind the agent before it, and gets the next one when it is not.
 */
export function choosePositions(
  order: readonly string[],
  stored: readonly Pick<SwarmAgent, "agentId" | "position">[],
): ReadonlyMap<string, number> {
  const current = new Map(stored.map(({ agentId, position }) => [agentId, position]));
  const kept = order.filter((id) => current.has(id));
  const storedOrder = stored
    .toSorted((one, other) => one.position - other.position)
    .map(({ agentId }) => agentId)
    .filter((id) => kept.includes(id));
  const isInOrder = kept.every((id, index) => storedOrder[index] === id);
  const positions = new Map<string, number>();
  let last = -1;
  for (const id of order) {
    const position = current.get(id);
    const isFree = position !== undefined && (position > last || (isInOrder && position === last));
    last = isFree ? position : last + 1;
    positions.set(id, last);
  }
  return positions;
}

/** A request of its own: the service accepts only an agent of the swarm, so the agents come first. */
function planCoordinator({ swarm, ownIds, agents }: Omit<SwarmAgentInput, "stored">, draft: Draft): void {
  const { resource, row, id } = swarm;
  const key = memberOf(resource.given, "coordinator") ?? null;
  const after = agents.find((each) => each.key === key)?.id ?? null;
  const before = row === null ? null : coordinatorOf(row);
  // Files cannot name the agent of another member, so they leave it in place.
  const isForeign = before !== null && key === null && !ownIds.has(before);
  if (before === after || isForeign) return;
  const nameOf = (agentId: string | null): Json => agents.find((each) => each.id === agentId)?.key ?? agentId;
  draft.steps.push({
    noun: "swarm",
    title: resource.key,
    table: "swarms",
    action: "update",
    place: placeOf(resource, "coordinator"),
    changes: [
      { path: "coordinator", before: row === null ? undefined : nameOf(before), after: nameOf(after), isSecret: false },
    ],
    id,
    filter: row === null ? {} : { updated_at: `eq.${row.updatedAt}` },
    body: { coordinator_agent_id: after },
    needs: after === null ? [id] : [id, after],
    missing: [],
    lineOf: () => placeOf(resource, "coordinator"),
  });
}

function coordinatorOf({ row }: RemoteRow): string | null {
  const id = memberOf(row, "coordinator_agent_id");
  return typeof id === "string" ? id : null;
}

function guardOf({ position, enabled, roleOverride }: SwarmAgent): Readonly<Record<string, string>> {
  return {
    position: `eq.${position}`,
    enabled: `eq.${enabled}`,
    role_override: roleOverride === null ? "is.null" : `eq.${roleOverride}`,
  };
}
