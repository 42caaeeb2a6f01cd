import type { Principal } from "../../db/index.ts";
import type { SessionsEnded } from "../changes.ts";
import type { Channel } from "../channels/channel.ts";
import { SetsByKey } from "../sets-by-key.ts";

/** Channels by session and by user, to end them with it and to count them. */
export class SessionChannels {
  readonly #bySession = new SetsByKey<Channel>();
  readonly #byUser = new SetsByKey<Channel>();

  change(change: "add" | "delete", { userId, session }: Principal, channel: Channel): void {
    if (userId !== null) this.#byUser[change](userId, channel);
    if (session !== null && session.sessionId !== null) this.#bySession[change](session.sessionId, channel);
  }

  countOfUser(userId: string): number {
    return this.#byUser.get(userId).size;
  }

  findEnded({ sessionIds, userIds }: SessionsEnded): Channel[] {
    return [
      ...sessionIds.flatMap((id) => [...this.#bySession.get(id)]),
      ...userIds.flatMap((id) => [...this.#byUser.get(id)]),
    ];
  }
}
