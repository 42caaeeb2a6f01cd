import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const PAUSE_MS = 2;

/** Writes numbered rows, one after the other, for each user in turn. */
export class Writer {
  nextSeq = 1;
  /** By user: those whose commit was answered. What failed may have happened or not. */
  readonly committed = new Map<string, number[]>();
  readonly #pool: pg.Pool;
  readonly #userIds: readonly string[];

  constructor(url: string, userIds: readonly string[]) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 2_000 });
    this.#pool.on("error", () => {});
    this.#userIds = userIds;
    for (const id of userIds) this.committed.set(id, []);
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      await this.write(this.#userIds[turn % this.#userIds.length] ?? "").catch(() => {});
      await sleep(PAUSE_MS);
    }
  }

  /** Answers with the number of the row. */
  async write(userId: string): Promise<number> {
    const seq = this.nextSeq;
    this.nextSeq += 1;
    await this.#pool.query("insert into public.agents (user_id, name) values ($1, $2)", [userId, String(seq)]);
    this.committed.get(userId)?.push(seq);
    return seq;
  }

  async query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return (await this.#pool.query<Row>(text)).rows;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
