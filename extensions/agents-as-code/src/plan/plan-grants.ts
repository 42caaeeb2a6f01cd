import { isSameJson, type Json } from "@swarmbase/sdk";
import { GRANT_TERMS, normaliseTerm } from "../model/grant-terms.ts";
import { memberOf } from "../model/json.ts";
import { deriveId } from "../model/keys.ts";
import { describeAudience } from "../model/link-checks.ts";
import { resolveReferences, type Variables } from "../model/references.ts";
import type { Grant } from "../service/read-remote.ts";
import type { Match } from "./match.ts";
import type { Change, Draft } from "./plan.ts";
import { findUserId, type MemberInput } from "./plan-members.ts";
import { describeUnset, linkStep, placeOf } from "./plan-rows.ts";

const LINK = { noun: "grant", table: "agent_grants", list: "grants" } as const;

interface GrantInput extends Pick<MemberInput, "userIds"> {
  readonly agent: Match;
  readonly stored: readonly Grant[];
  readonly variables: Variables;
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
      free.find((each) => each.id === id && each.audience === "claim") ??
      null;
    const audience = memberOf(entry, "audience") ?? null;
    const userId = row?.userId ?? findUserId(entry, userIds);
    if (audience === "user" && userId === null) {
      const message = `cannot be looked up: ${userIds === null ? "only the service role may, so write user and the id" : "no account has this address"}`;
      draft.faults.push({ ...placeOf(resource, ...path, "email"), path: [...path, "email"], message });
      continue;
    }
    if (row !== null) claimed.add(row);
    const columns = readColumns(entry);
    const changes = Object.entries(columns).flatMap(([name, after]): readonly Change[] => {
      const before = row === null ? GRANT_TERMS[name]?.default : row.columns[name];
      return isSameJson(before ?? null, after)
        ? []
        : [{ path: name, before: row === null ? undefined : before, after, isSecret: false }];
    });
    if (row !== null && changes.length === 0) {
      draft.unchanged += 1;
      continue;
    }
    draft.steps.push({
      ...linkStep(LINK, resource, title),
      place: placeOf(resource, ...path),
      action: row === null ? "create" : "update",
      changes,
      id: row?.id ?? id,
      filter: row === null ? {} : { updated_at: `eq.${row.updatedAt}` },
      body:
        row === null
          ? { id, agent_id: agentId, audience, user_id: userId, ...columns }
          : Object.fromEntries(changes.map((change) => [change.path, change.after ?? null])),
      needs: [agentId],
      lineOf: (field) => placeOf(resource, ...path, field === "user_id" ? "email" : field),
    });
  }
  // Without its variables it is not known whose grant an entry is.
  for (const row of stored.filter((each) => isComplete && !claimed.has(each)))
    draft.deletions.push({
      ...linkStep(
        LINK,
        resource,
        describeAudience({ ...row.columns, audience: row.audience, user: row.email ?? row.userId }),
      ),
      action: "delete",
      id: row.id,
      filter: { updated_at: `eq.${row.updatedAt}` },
    });
}

function isSameAudience(row: Grant, entry: Json, userIds: GrantInput["userIds"]): boolean {
  if (row.audience !== memberOf(entry, "audience")) return false;
  if (row.audience !== "user") return isSameJson(row.columns["claim"] ?? null, memberOf(entry, "claim") ?? null);
  const address = memberOf(entry, "email");
  return (
    row.userId === findUserId(entry, userIds) || (typeof address === "string" && row.email === address.toLowerCase())
  );
}

/** What the file leaves out has its default. */
function readColumns(entry: Json): Readonly<Record<string, Json>> {
  const terms = Object.entries(GRANT_TERMS).map(([name, term]): [string, Json] => [
    name,
    normaliseTerm(name, memberOf(entry, name) ?? term.default),
  ]);
  return { claim: memberOf(entry, "claim") ?? null, ...Object.fromEntries(terms) };
}
