import type { Clock } from "../../time/index.ts";
import type { Principal } from "../../db/index.ts";
import type { SessionsEnded } from "../changes.ts";

const REMEMBERED_MS = 60_000;

/**
 * Sessions that ended a moment ago. A join that found its session alive may be overtaken by the news of its end, which then
 * comes before there is a channel to tell.
 */
export class EndedSessions {
  readonly #clock: Clock;
  /** In the order of their ends, so that the oldest come first. */
  readonly #endedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember({ sessionIds, userIds }: SessionsEnded): void {
    const nowMs = this.#clock.now().getTime();
    for (const [id, endedAtMs] of this.#endedAtMs) {
      if (nowMs - endedAtMs < REMEMBERED_MS) break;
      this.#endedAtMs.delete(id);
    }
    for (const id of [...sessionIds, ...userIds]) {
      this.#endedAtMs.delete(id);
      this.#endedAtMs.set(id, nowMs);
    }
  }

  /** A user who was banned and let in again may have signed in since; only what was known before that is out of date. */
  hasEndedSince({ session }: Principal, askedAtMs: number): boolean {
    if (session === null) return false;
    return [session.sessionId, session.userId].some((id) => {
      const endedAtMs = id === null ? undefined : this.#endedAtMs.get(id);
      return endedAtMs !== undefined && endedAtMs >= askedAtMs;
    });
  }
}
