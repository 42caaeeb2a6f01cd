import { isSameJson, type Json } from "@swarmbase/sdk";
import { GRANT_TERMS, normaliseTerm } from "../model/grant-terms.ts";
import { memberOf } from "../model/json.ts";
import { deriveId } from "../model/keys.ts";
import { describeAudience } from "../model/link-checks.ts";
import { resolveReferences, type Variables } from "../model/references.ts";
import type { Grant } from "../service/read-remote.ts";
import type { Match } from "./match.ts";
import type { Change, Draft, Step } from "./plan.ts";
import { describeUnset, placeOf } from "./plan-rows.ts";

export interface GrantInput {
  readonly agent: Match;
  readonly stored: readonly Grant[];
  readonly variables: Variables;
  /** By e-mail address in lower case. Null for a caller who may not look up accounts. */
  readonly userIds: ReadonlyMap<string, string> | null;
}

/** Steps that grant an agent as its file says. Without `grants` in the file, they are left alone. */
export function planGrants({ agent, stored, variables, userIds }: GrantInput, draft: Draft): void {
  const { resource, id: agentId } = agent;
  const given = memberOf(resource.given, "grants");
  if (!Array.isArray(given)) return;
  const claimed = new Set<Grant>();
  let isComplete = true;
  for (const [index, raw] of given.entries()) {
    const path = ["grants", index] as const;
    const { value: entry, unset } = resolveReferences(raw, undefined, variables);
    for (const { path: below, names } of unset) draft.notes.add(describeUnset(resource, [...path, ...below], names));
    if (unset.length > 0) {
      isComplete = false;
      continue;
    }
    const title = describeAudience(entry);
    const id = deriveId(agentId, "grants", title);
    const free = stored.filter((each) => !claimed.has(each));
    const row =
      free.find((each) => isSameAudience(each, entry, userIds)) ??
      // Its claim was changed elsewhere.
      free.find((each) => each.id === id && each.columns["audience"] === "claim") ??
      null;
    const userId = row?.userId ?? findUserId(entry, userIds);
    if (memberOf(entry, "audience") === "user" && userId === null) {
      const message = `cannot be looked up: ${userIds === null ? "only the service role may, so write user and the id" : "no account has this address"}`;
      draft.faults.push({ ...placeOf(resource, ...path, "email"), path: [...path, "email"], message });
      continue;
    }
    if (row !== null) claimed.add(row);
    const columns = readColumns(entry);
    const changes = Object.entries(columns).flatMap(([name, after]): readonly Change[] => {
      const before = row === null ? GRANT_TERMS[name]?.default : row.columns[name];
      return isSameJson(before ?? null, after ?? null)
        ? []
        : [{ path: name, before: row === null ? undefined : before, after, isSecret: false }];
    });
    if (row !== null && changes.length === 0) {
      draft.unchanged += 1;
      continue;
    }
    draft.steps.push({
      ...baseStep(agent, title),
      place: placeOf(resource, ...path),
      action: row === null ? "create" : "update",
      changes: changes.filter((change) => change.path !== "audience"),
      id: row?.id ?? id,
      filter: row === null ? {} : { updated_at: `eq.${row.updatedAt}` },
      body:
        row === null
          ? { id, agent_id: agentId, ...columns, ...(userId !== null && { user_id: userId }) }
          : Object.fromEntries(changes.map((change) => [change.path, change.after ?? null])),
      needs: [agentId],
      lineOf: (field) => placeOf(resource, ...path, field === "user_id" ? "email" : field),
    });
  }
  // Without its variables it is not known whose grant an entry is.
  for (const row of stored.filter((each) => isComplete && !claimed.has(each)))
    draft.deletions.push({
      ...baseStep(agent, describeAudience({ ...row.columns, user: row.email ?? row.userId })),
      action: "delete",
      id: row.id,
      filter: { updated_at: `eq.${row.updatedAt}` },
    });
}

function findUserId(entry: Json, userIds: GrantInput["userIds"]): string | null {
  const [user, email] = [memberOf(entry, "user"), memberOf(entry, "email")];
  if (typeof user === "string") return user.toLowerCase();
  return typeof email === "string" ? (userIds?.get(email.toLowerCase()) ?? null) : null;
}

function isSameAudience({ columns, userId, email }: Grant, entry: Json, userIds: GrantInput["userIds"]): boolean {
  if (columns["audience"] !== memberOf(entry, "audience")) return false;
  if (columns["audience"] !== "user") return isSameJson(columns["claim"] ?? null, memberOf(entry, "claim") ?? null);
  const address = memberOf(entry, "email");
  return userId === findUserId(entry, userIds) || (typeof address === "string" && email === address.toLowerCase());
}

/** What the file leaves out has its default. */
function readColumns(entry: Json): Readonly<Record<string, Json>> {
  const claim = memberOf(entry, "claim");
  const terms = Object.entries(GRANT_TERMS).map(([name, term]) => [
    name,
    normaliseTerm(name, memberOf(entry, name) ?? term.default),
  ]);
  return {
    audience: memberOf(entry, "audience") ?? null,
    ...(claim !== undefined && { claim }),
    ...(Object.fromEntries(terms) as Record<string, Json>),
  };
}

function baseStep({ resource }: Match, audience: string): Omit<Step, "action" | "id"> {
  return {
    noun: "grant",
    title: `${resource.key} → ${audience}`,
    place: placeOf(resource, "grants"),
    changes: [],
    table: "agent_grants",
    filter: {},
    body: null,
    needs: [],
    missing: [],
    lineOf: () => placeOf(resource, "grants"),
  };
}
