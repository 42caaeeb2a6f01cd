import type { Resource } from "../files/check-resource.ts";
import { FolderError } from "../files/read-folder.ts";
import { memberOf } from "../model/json.ts";
import { type Kind, KINDS, OWNER_COLUMNS } from "../model/kinds.ts";
import type { Variables } from "../model/references.ts";
import { withSwarmId } from "../model/swarm-tools.ts";
import { hasTarget, withTargetIds } from "../model/targets.ts";
import { findUsers, type Session } from "../service/connect.ts";
import type { Remote, RemoteRow } from "../service/read-remote.ts";
import { type Match, matchResources } from "./match.ts";
import { createToolDirectory, planAssignments } from "./plan-assignments.ts";
import { planGrants } from "./plan-grants.ts";
import { planMembers } from "./plan-members.ts";
import { describesActing, planRow, planRowDeletion, type RowOptions } from "./plan-rows.ts";
import { planSwarmAgents } from "./plan-swarm-agents.ts";
import type { Draft, Plan, Step } from "./plan.ts";

interface PlanOptions {
  readonly ownerId: string;
  /** The address of the owner whose account does not exist yet. */
  readonly newOwner: string | null;
  readonly variables: Variables;
  readonly deletes: boolean;
  readonly writesSecrets: boolean;
  readonly writer: RowOptions["writer"];
  readonly userIds: ReadonlyMap<string, string> | null;
}

/** Compares the files with the service. Throws a `FolderError` with everything in the files that cannot be applied. */
export function buildPlan(resources: readonly Resource[], remote: Remote, options: PlanOptions): Plan {
  const { draft, unmatched } = draftPlan(resources, remote, options);
  if (draft.faults.length > 0) throw new FolderError(draft.faults);
  // Rows of the service itself are not missing from the files of a user who has none of their kind.
  const hasFiles = new Set(resources.map(({ kind }) => kind));
  const missing = unmatched.filter(({ kind }) => OWNER_COLUMNS[kind] !== null || hasFiles.has(kind));
  const steps = orderSteps(draft.steps);
  const deletions = [...draft.deletions, ...planDeletions(missing)];
  return {
    steps: options.deletes ? [...steps, ...deletions] : steps,
    kept: options.deletes ? [] : deletions,
    notes: [...draft.notes],
    unchanged: draft.unchanged,
    secrets: [...draft.secrets],
  };
}

/** Files that do not describe what the service has. */
export function findOutdatedFiles(
  resources: readonly Resource[],
  remote: Remote,
  options: Pick<PlanOptions, "ownerId" | "variables">,
): ReadonlySet<string> {
  const { draft } = draftPlan(resources, remote, {
    ...options,
    newOwner: null,
    deletes: false,
    writesSecrets: false,
    writer: "nobody",
    userIds: null,
  });
  const places = [...draft.steps, ...draft.deletions].map(({ place }) => place);
  const files = [...places, ...draft.faults].flatMap((place) => (place === null ? [] : [place.file]));
  return new Set([...files, ...draft.outdated]);
}

function draftPlan(
  resources: readonly Resource[],
  remote: Remote,
  options: PlanOptions,
): { readonly draft: Draft; readonly unmatched: readonly RemoteRow[] } {
  const { matches, unmatched, notes, faults } = matchResources(resources, remote.rows, options.ownerId);
  const draft: Draft = {
    steps: [],
    deletions: [],
    notes: new Set(notes),
    faults: [...faults],
    secrets: new Set(),
    outdated: new Set(),
    unchanged: 0,
  };
  if (options.newOwner !== null) draft.steps.push(planOwner(options.ownerId, options.newOwner));
  const of = (kind: Kind): readonly Match[] => matches.filter(({ resource }) => resource.kind === kind);
  const keysOf = (kind: Kind) => of(kind).map(({ resource, id }) => ({ key: resource.key, id }));
  const ownTools = of("tools").map(({ resource, id }) => ({
    key: resource.key,
    id,
    actsForAsker: describesActing(resource),
  }));
  const tools = createToolDirectory(ownTools, remote.otherTools);
  const ownIds = new Set(remote.rows.map(({ id }) => id));
  for (const kind of KINDS) {
    for (const match of of(kind)) {
      planRow({ ...match, resource: withIds(match.resource, keysOf) }, draft, {
        ...options,
        defaults: remote.defaults,
      });
    }
    if (kind === "agents")
      for (const agent of of(kind)) {
        planAssignments(agent, { remote, tools }, draft, options);
        const stored = remote.grants.filter(({ agentId }) => agentId === agent.id);
        planGrants({ ...options, agent, stored }, draft);
      }
    if (kind !== "swarms") continue;
    for (const swarm of of(kind)) {
      const isInSwarm = ({ swarmId }: { readonly swarmId: string }): boolean => swarmId === swarm.id;
      const stored = remote.swarmAgents.filter(isInSwarm);
      planSwarmAgents({ swarm, stored, ownIds, agents: keysOf("agents") }, draft);
      planMembers({ ...options, swarm, stored: remote.members.filter(isInSwarm) }, draft);
    }
  }
  return { draft, unmatched };
}

/** The resource as the service has it, which names others by their ids. */
function withIds(resource: Resource, keysOf: (kind: Kind) => readonly { key: string; id: string }[]): Resource {
  const { kind, given } = resource;
  if (kind === "tools") return { ...resource, given: withSwarmId(given, keysOf("swarms")) };
  return hasTarget(kind) ? { ...resource, given: withTargetIds(given, keysOf) } : resource;
}

/** Nobody signs in to it until its owner has set a password by a mail. */
function planOwner(id: string, email: string): Step {
  return {
    action: "create",
    noun: "account",
    title: email,
    place: null,
    changes: [],
    table: "users",
    id,
    filter: {},
    body: { id, email, email_confirm: true },
    needs: [],
    missing: [],
    lineOf: () => null,
  };
}

/** In the reverse order of creation. */
function planDeletions(rows: readonly RemoteRow[]): readonly Step[] {
  return KINDS.toReversed().flatMap((kind) => rows.filter((row) => row.kind === kind).map(planRowDeletion));
}

/** Accounts of the people in the files. Only the service role may look them up. */
export async function findUserIds(
  resources: readonly Resource[],
  { client, isService }: Session,
): Promise<ReadonlyMap<string, string> | null> {
  if (!isService) return null;
  const emails = resources.flatMap(({ given }) =>
    ["members", "grants"].flatMap((link) => {
      const people = memberOf(given, link);
      return (Array.isArray(people) ? people : []).flatMap((entry) => {
        const email = memberOf(entry, "email");
        return typeof email === "string" ? [email.toLowerCase()] : [];
      });
    }),
  );
  const ids = new Map<string, string>();
  for (const email of new Set(emails)) {
    const [user] = await findUsers(client, email);
    if (user !== undefined) ids.set(email, user.id);
  }
  return ids;
}

/** Each step after those that create what it needs, and otherwise in the given order: a tool may need a swarm, which is created later. */
function orderSteps(steps: readonly Step[]): readonly Step[] {
  const uncreated = new Set(steps.flatMap(({ action, id }) => (action === "create" && id !== null ? [id] : [])));
  const ordered: Step[] = [];
  for (let left = steps; left.length > 0; ) {
    const waiting: Step[] = [];
    for (const step of left) {
      if (step.needs.some((id) => uncreated.has(id))) waiting.push(step);
      else {
        ordered.push(step);
        if (step.id !== null) uncreated.delete(step.id);
      }
    }
    if (waiting.length === left.length) throw new Error("steps need each other");
    left = waiting;
  }
  return ordered;
}
