import type { Principal } from "../../db/index.ts";
import type { SessionsEnded } from "../changes.ts";

/** Channels by session and by user, to end them with it and to count them. */
export class SessionMembers<Member> {
  readonly #bySession = new Map<string, Set<Member>>();
  readonly #byUser = new Map<string, Set<Member>>();

  add(caller: Principal, member: Member): void {
    const { userId, session } = caller;
    if (userId !== null) addTo(this.#byUser, userId, member);
    if (session !== null && session.sessionId !== null) addTo(this.#bySession, session.sessionId, member);
  }

  remove(caller: Principal, member: Member): void {
    const { userId, session } = caller;
    if (userId !== null) removeFrom(this.#byUser, userId, member);
    if (session !== null && session.sessionId !== null) removeFrom(this.#bySession, session.sessionId, member);
  }

  countOfUser(userId: string): number {
    return this.#byUser.get(userId)?.size ?? 0;
  }

  findEnded({ sessionIds, userIds }: SessionsEnded): Member[] {
    return [
      ...sessionIds.flatMap((id) => [...(this.#bySession.get(id) ?? [])]),
      ...userIds.flatMap((id) => [...(this.#byUser.get(id) ?? [])]),
    ];
  }
}

function addTo<Member>(map: Map<string, Set<Member>>, id: string, member: Member): void {
  const members = map.get(id);
  if (members === undefined) map.set(id, new Set([member]));
  else members.add(member);
}

function removeFrom<Member>(map: Map<string, Set<Member>>, id: string, member: Member): void {
  const members = map.get(id);
  members?.delete(member);
  if (members?.size === 0) map.delete(id);
}
