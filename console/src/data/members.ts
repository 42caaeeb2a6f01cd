import { isUuid, type SwarmMemberStatus, type SwarmRole } from "@swarmbase/sdk";
import { useMemo } from "react";
import type { Client, Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { useReloadSoon } from "./reload-soon.ts";
import { type Pages, usePages, useRows } from "./rows.ts";
import { once, useWrite } from "./write.ts";

export interface Member extends Row<"swarm_members"> {
  /** Null for users who have not joined yet. */
  readonly public_profiles: Row<"public_profiles"> | null;
}

/** The roles that can be assigned. */
export type GivenRole = Exclude<SwarmRole, "owner">;

export interface MemberCounts {
  readonly active: number;
  /** Those who have not accepted their invitation. */
  readonly invited: number;
}

export interface Members extends Pages<Member> {
  readonly counts: MemberCounts | undefined;
}

/** The members of a swarm, the oldest first. */
export function useMembers(swarmId: string): Members {
  // A new member has a name, which the changed row does not contain.
  const onChange = useReloadSoon(useMemo(() => ["swarm_members", "of", swarmId], [swarmId]));
  useLiveTable("swarm_members", { filter: `swarm_id=eq.${swarmId}`, onChange });
  const pages = usePages<Member>({
    table: "swarm_members",
    key: ["of", swarmId],
    size: 100,
    read: (client, { last, size }) => {
      const query = client
        .from("swarm_members")
        .select("*, public_profiles(*)")
        .eq("swarm_id", swarmId)
        .order("id")
        .limit(size);
      return last === null ? query : query.gt("id", last.id);
    },
  });
  return { ...pages, counts: useCounts(swarmId, pages) };
}

/** Counts all members, of whom only some are listed. */
function useCounts(swarmId: string, { rows, hasMore }: Pages<Member>): MemberCounts | undefined {
  const { rows: counted } = useRows({
    table: "swarm_members",
    key: ["of", swarmId, "counts"],
    isOn: hasMore,
    read: (client) =>
      client
        .from("swarm_members")
        .select("status, count:id.count()")
        .eq("swarm_id", swarmId)
        .overrideTypes<{ status: SwarmMemberStatus; count: number }[], { merge: false }>(),
  });
  if (hasMore && counted === undefined) return undefined;
  const countOf = (status: SwarmMemberStatus): number => {
    if (hasMore) return counted?.find((row) => row.status === status)?.count ?? 0;
    return rows?.filter((row) => row.status === status).length ?? 0;
  };
  return rows && { active: countOf("active"), invited: countOf("invited") };
}

export function nameOf({ public_profiles: profile, invited_email: email }: Member): string {
  return profile?.full_name ?? email ?? "Someone";
}

interface Invitation {
  /** An e-mail address, or the id of a user. */
  readonly whom: string;
  readonly role: GivenRole;
}

export interface Invited {
  /** Null when the invitation was made and its link was not. */
  readonly link: string | null;
  /** Whether the link has a secret, which is shown once. */
  readonly isSecret: boolean;
}

/** Only an invitation by address has a secret: nobody but the invited account can accept the others. */
export function useInvite(swarmId: string) {
  return useWrite<Invitation, Invited>({
    tables: ["swarm_members"],
    write: async (client, { whom, role }, key) => {
      const isId = isUuid(whom.trim());
      const who: { user_id?: string; email?: string } = isId ? { user_id: whom.trim() } : { email: whom.trim() };
      const row = { swarm_id: swarmId, role, ...who };
      const { id } = await unwrap(once(client.from("swarm_members").insert(row), key).select("id").single());
      if (isId) return { link: `${location.origin}/invitations/${swarmId}`, isSecret: false };
      return { link: await createLink(client, id).catch(() => null), isSecret: true };
    },
  });
}

/** Replaces the link that was shown before. */
export function useCreateLink() {
  return useWrite<string, string>({ tables: [], write: createLink });
}

async function createLink(client: Client, id: string): Promise<string> {
  const body = { action: "create_link", invitation_id: id };
  return ((await unwrap(client.functions.invoke("invitations", { body }))) as { link: string }).link;
}
