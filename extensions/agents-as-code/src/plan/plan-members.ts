import type { Json } from "@swarmbase/sdk";
import { memberOf } from "../model/json.ts";
import type { Member } from "../service/read-remote.ts";
import type { Match } from "./match.ts";
import type { Draft, Step } from "./plan.ts";
import { linkStep, placeOf } from "./plan-rows.ts";

const LINK = { noun: "member", table: "swarm_members", list: "members" } as const;

export interface MemberInput {
  readonly swarm: Match;
  readonly stored: readonly Member[];
  readonly ownerId: string;
  /** By e-mail address in lower case. Null for a caller who may not look up accounts. */
  readonly userIds: ReadonlyMap<string, string> | null;
}

interface Wanted {
  readonly email: string | null;
  readonly userId: string | null;
  readonly role: string;
  readonly index: number;
}

/** Steps that invite the people of the file and set their roles. Without `members` in the file, people are nobody's concern here. */
export function planMembers(input: MemberInput, draft: Draft): void {
  const { swarm, stored, ownerId, userIds } = input;
  const { resource, id: swarmId } = swarm;
  const given = memberOf(resource.given, "members");
  if (!Array.isArray(given)) return;
  const wanted = given.map((entry, index) => readWanted(entry, index, userIds));
  const rows = new Map(wanted.map((each) => [each, stored.find((member) => isMember(member, each)) ?? null]));
  const claimed = new Set(rows.values());
  const strangers = stored.filter((member) => member.isActive && !claimed.has(member));
  let isAmbiguous = false;
  for (const each of wanted) {
    const row = rows.get(each) ?? null;
    const place = placeOf(resource, "members", each.index);
    if (each.userId === ownerId) {
      const path = ["members", each.index];
      draft.faults.push({ ...place, path, message: "is the owner, who is a member already" });
    } else if (row === null && each.email !== null && userIds === null && strangers.length > 0) {
      // The address of a person who has accepted is not shown, so this may be one of the strangers.
      draft.notes.add(describeStrangers(place, each, strangers));
      draft.outdated.add(place.file);
      isAmbiguous = true;
    } else if (row === null || row.role !== each.role) {
      draft.steps.push({ ...toStep(swarm, each, row), place, body: bodyOf(each, row, swarmId) });
    } else draft.unchanged += 1;
  }
  // Whoever may be the person of an address in the file is not removed.
  for (const row of stored.filter((member) => !claimed.has(member) && !(isAmbiguous && member.isActive)))
    draft.deletions.push({
      ...linkStep(LINK, resource, nameOf(row)),
      action: "delete",
      id: row.id,
      filter: { role: `eq.${row.role}` },
    });
}

function readWanted(entry: Json, index: number, userIds: MemberInput["userIds"]): Wanted {
  const [address, role] = [memberOf(entry, "email"), memberOf(entry, "role")];
  return {
    email: typeof address === "string" ? address.toLowerCase() : null,
    userId: findUserId(entry, userIds),
    role: typeof role === "string" ? role : "member",
    index,
  };
}

/** The account that an entry names by its id or its address. */
export function findUserId(entry: Json, userIds: MemberInput["userIds"]): string | null {
  const [user, email] = [memberOf(entry, "user"), memberOf(entry, "email")];
  if (typeof user === "string") return user.toLowerCase();
  return typeof email === "string" ? (userIds?.get(email.toLowerCase()) ?? null) : null;
}

function isMember(member: Member, { email, userId }: Wanted): boolean {
  return (userId !== null && member.userId === userId) || (email !== null && member.email === email);
}

function describeStrangers(place: { file: string; line: number }, each: Wanted, strangers: readonly Member[]): string {
  const names = strangers.map((member) => `${nameOf(member)}: user: ${member.userId ?? ""}`).join("; ");
  return (
    `${place.file}:${place.line} ${each.email ?? "this person"} has no open invitation, and the swarm has members who are not in ` +
    `the file (${names}). Nobody was invited: replace the address by the user, as \`swarmbase pull\` does, or add the others.`
  );
}

function bodyOf({ email, userId, role }: Wanted, row: Member | null, swarmId: string): NonNullable<Step["body"]> {
  if (row !== null) return { role };
  return { swarm_id: swarmId, role, ...(email === null ? { user_id: userId } : { email }) };
}

function toStep(swarm: Match, each: Wanted, row: Member | null): Step {
  const { resource, id: swarmId } = swarm;
  return {
    ...linkStep(LINK, resource, each.email ?? each.userId ?? ""),
    action: row === null ? "create" : "update",
    changes: [{ path: "role", before: row?.role, after: each.role, isSecret: false }],
    id: row?.id ?? null,
    filter: row === null ? {} : { role: `eq.${row.role}` },
    needs: [swarmId],
    lineOf: (field) => placeOf(resource, "members", each.index, field),
  };
}

function nameOf({ email, fullName, userId }: Member): string {
  return email ?? fullName ?? userId ?? "";
}
