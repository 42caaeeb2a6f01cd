import type { Clock } from "../../time/index.ts";
import type { Principal } from "../../db/index.ts";
import type { SessionsEnded } from "../changes.ts";

const RETENTION_MS = 60_000;

/**
 * Recently ended sessions. The end of a session can arrive after its join has checked the session and before the channel
 * exists; the join then finds it here.
 */
export class EndedSessions {
  readonly #clock: Clock;
  /** In the order of time, oldest first. */
  readonly #endedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ sessionIds, userIds }: SessionsEnded): void {
    const nowMs = this.#clock.now().getTime();
    for (const [id, endedAtMs] of this.#endedAtMs) {
      if (nowMs - endedAtMs < RETENTION_MS) break;
      this.#endedAtMs.delete(id);
    }
    for (const id of [...sessionIds, ...userIds]) {
      this.#endedAtMs.delete(id);
      this.#endedAtMs.set(id, nowMs);
    }
  }

  /** Whether the session or user ended at or after this time. A user may have signed in again since. */
  hasEndedSince({ session }: Principal, askedAtMs: number): boolean {
    if (session === null) return false;
    return [session.sessionId, session.userId].some((id) => {
      const endedAtMs = id === null ? undefined : this.#endedAtMs.get(id);
      return endedAtMs !== undefined && endedAtMs >= askedAtMs;
    });
  }
}
