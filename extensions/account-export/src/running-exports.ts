import { AppError } from "swarmbase/extension";

const RETRY_AFTER_SECONDS = 30;

/** The exports that this node writes. A user has at most one, so that all exports of a user together use one connection of the database. */
export class RunningExports {
  readonly #users = new Set<string>();

  /** Returns what ends the export; the closing of the connection ends it too. Throws when the user has one already. */
  begin(userId: string, closed: AbortSignal): () => void {
    if (this.#users.has(userId)) {
      throw new AppError("RATE_LIMITED", "An export of this account is in progress", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#users.add(userId);
    let hasEnded = false;
    const end = (): void => {
      if (!hasEnded) this.#users.delete(userId);
      hasEnded = true;
    };
    if (closed.aborted) end();
    else closed.addEventListener("abort", end, { once: true });
    return end;
  }
}
