/** A process that cannot reach the database must not need memory without end. */
const MAX_USERS = 100_000;

/** Requests by user that are not stored yet, of one process. */
export class RequestCounts {
  #byUser = new Map<string, number>();

  add(userId: string | null): void {
    if (userId === null || (this.#byUser.size >= MAX_USERS && !this.#byUser.has(userId))) return;
    this.#byUser.set(userId, (this.#byUser.get(userId) ?? 0) + 1);
  }

  take(): Readonly<Record<string, number>> | null {
    if (this.#byUser.size === 0) return null;
    const byUser = Object.fromEntries(this.#byUser);
    this.#byUser = new Map();
    return byUser;
  }
}
