import pg from "pg";

const DEADLOCK = "40P01";
const MAX_ATTEMPTS = 3;

/** A deletion cascades to rows that other requests lock in another order; PostgreSQL then ends one of the two. */
export async function retryAfterDeadlock<T>(remove: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await remove();
    } catch (error) {
      const isDeadlock = error instanceof pg.DatabaseError && error.code === DEADLOCK;
      if (!isDeadlock || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
