import pg from "pg";
import type { ExtensionServer } from "swarmbase/extension";
import { parseLsn } from "../../archive/lsn.ts";

/** The server, as IDENTIFY_SYSTEM describes it. */
export interface ServerIdentity {
  readonly systemId: string;
  readonly timeline: number;
  readonly segmentBytes: number;
  readonly postgresMajor: number;
}

interface ServerState {
  /** The time of the server. Every commit that was confirmed until then is before `flushed`. */
  readonly at: Date;
  readonly flushed: bigint;
  /** Null means that there is no slot, or the server has removed WAL that it should have kept. */
  readonly slot: SlotState | null;
}

interface SlotState {
  /** The first position that the server keeps. */
  readonly restart: bigint;
  /** How much WAL the slot keeps. */
  readonly keptBytes: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const MISSING = "42704";

/** One connection of the role with REPLICATION, for everything that is not a stream. */
export class ServerSession {
  /** Aborts when the connection ends. */
  readonly lost: AbortSignal;
  readonly #client: pg.Client;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client, lost: AbortSignal) {
    [this.#client, this.lost] = [client, lost];
  }

  static async open({ replicationUrl }: Pick<ExtensionServer, "replicationUrl">): Promise<ServerSession> {
    const lost = new AbortController();
    const client = new pg.Client({
      connectionString: replicationUrl,
      application_name: "swarmbase-backup",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on("error", (error) => lost.abort(error));
    client.on("end", () => lost.abort(new Error("the database closed the connection")));
    await client.connect();
    return new ServerSession(client, lost.signal);
  }

  /** Returns false when another process has the lock of this name. It is released with the connection. */
  async tryLock(name: string): Promise<boolean> {
    const rows = await this.#query<{ locked: boolean }>(
      "select pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended($1, 0)) as locked",
      [`swarmbase backup ${name}`],
    );
    return rows[0]?.locked === true;
  }

  async readState(slotName: string): Promise<ServerState> {
    const rows = await this.#query<{
      at: Date;
      flushed: string;
      restart: string | null;
      kept: string | null;
      active: boolean | null;
      status: string | null;
    }>(
      `select pg_catalog.now() as at, pg_catalog.pg_current_wal_flush_lsn()::text as flushed, s.restart_lsn::text as restart,
         pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_flush_lsn(), s.restart_lsn)::text as kept,
         s.active, s.wal_status as status
       from (select) as one left join pg_catalog.pg_replication_slots s on s.slot_name = $1 and s.slot_type = 'physical'`,
      [slotName],
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the database did not describe its state");
    const { restart, kept, status, active } = row;
    const flushed = parseLsn(row.flushed);
    // Without a position, it is new and its reader has confirmed none yet.
    const slot =
      active === null || status === "lost"
        ? null
        : { restart: restart === null ? flushed : parseLsn(restart), keptBytes: Number(kept ?? 0) };
    return { at: row.at, flushed, slot };
  }

  /** The names of the physical slots that begin so. */
  async listSlots(prefix: string): Promise<readonly string[]> {
    const rows = await this.#query<{ name: string }>(
      `select slot_name::text as name from pg_catalog.pg_replication_slots
       where slot_type = 'physical' and pg_catalog.starts_with(slot_name::text, $1)`,
      [prefix],
    );
    return rows.map(({ name }) => name);
  }

  /**
   * Creates a slot, which keeps the WAL from the first confirmed position on. Reserved at once, it would begin at the last
   * checkpoint, and count all WAL since then as kept.
   */
  async createSlot(slotName: string): Promise<void> {
    await this.#query("select pg_catalog.pg_create_physical_replication_slot($1, false)", [slotName]);
  }

  /** No error when there is no such slot; an error while a process reads from it. */
  async dropSlot(slotName: string): Promise<void> {
    await this.#query("select pg_catalog.pg_drop_replication_slot($1)", [slotName]).catch((error: unknown) => {
      if (codeOf(error) !== MISSING) throw error;
    });
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  /** One at a time: the parts of a session share the connection. */
  #query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const result = this.#last.then(async () => (await this.#client.query<Row>(text, [...values])).rows);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** Over a connection of its own, because replication commands and SQL exclude each other. */
export async function identifyServer(url: string): Promise<ServerIdentity> {
  const config: pg.ClientConfig & { replication: string } = {
    connectionString: url,
    application_name: "swarmbase-backup",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    replication: "true",
  };
  const client = new pg.Client(config);
  client.on("error", () => {});
  try {
    await client.connect();
    const system = await client.query<{ systemid: string; timeline: number }>("IDENTIFY_SYSTEM");
    const size = await client.query<{ wal_segment_size: string }>("SHOW wal_segment_size");
    const version = await client.query<{ server_version_num: string }>("SHOW server_version_num");
    const [{ systemid, timeline } = { systemid: "", timeline: 0 }] = system.rows;
    return {
      systemId: systemid,
      timeline: Number(timeline),
      segmentBytes: parseSize(size.rows[0]?.wal_segment_size ?? ""),
      postgresMajor: Math.floor(Number(version.rows[0]?.server_version_num) / 10_000),
    };
  } finally {
    await client.end().catch(() => {});
  }
}

function parseSize(text: string): number {
  const [, digits = "", unit = ""] = /^(\d+)(MB|GB)$/.exec(text) ?? [];
  if (digits === "") throw new Error("the database did not tell the size of its WAL files");
  return Number(digits) * 1024 * 1024 * (unit === "GB" ? 1024 : 1);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
