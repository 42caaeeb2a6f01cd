import { readFile, chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { derivePassword, newMasterKey } from "../../server/src/crypto/index.ts";
import { type EmbeddedServer, startEmbedded } from "../../server/src/db/embedded/start-embedded.ts";
import { migrate, withDatabase } from "../../server/src/db/index.ts";
import { loadTlsMaterial } from "../../server/src/http/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";
import { fillDatabase } from "./fill-database.ts";
import type { Population } from "./population.ts";

/** More than all rounds can insert together, so that the limit is counted and never reached. */
export const AGENT_LIMIT = 100_000;

/** What all contenders share: one PostgreSQL, one certificate, one folder. */
export interface Stage {
  readonly folder: string;
  readonly masterKey: string;
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  readonly postmasterPid: number;
  /** Connection of a superuser. */
  urlOf(database: string): string;
  /** Creates a database with our schema and this many rows. */
  createFilled(database: string, population: Population): Promise<void>;
  /** Copies the database under another name. */
  copy(database: string, name: string): Promise<void>;
  createEmpty(database: string): Promise<void>;
  /** The backends that serve a database. */
  listBackends(database: string): Promise<readonly number[]>;
  /** The processes that serve other databases. */
  listOthers(database: string): Promise<readonly number[]>;
  close(): Promise<void>;
}

const observer = createObserver({ level: "fatal", format: "json" });

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  // As root the database runs under another account, which must be able to enter the folder.
  await chmod(folder, 0o711);
  const masterKey = newMasterKey();
  let server: EmbeddedServer | null = null;
  let admin: pg.Client | null = null;
  const close = async (): Promise<void> => {
    await admin?.end();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const superuserPassword = derivePassword(masterKey, "postgres");
    server = await startEmbedded({ dataDir: join(folder, "database"), wantedPort: 0, superuserPassword, observer });
    admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
    return await describeStage({ folder, masterKey, adminUrl: server.adminUrl, admin, close });
  } catch (error) {
    await close();
    throw error;
  }
}

interface Opened {
  readonly folder: string;
  readonly masterKey: string;
  readonly adminUrl: string;
  readonly admin: pg.Client;
  close(): Promise<void>;
}

async function describeStage({ folder, masterKey, adminUrl, admin, close }: Opened): Promise<Stage> {
  const clock = { now: () => new Date() };
  const tls = await loadTlsMaterial({ dataDir: join(folder, "certificate"), certFile: null, keyFile: null, clock });
  const urlOf = (database: string): string => withDatabase(adminUrl, database);
  return {
    folder,
    masterKey,
    cert: tls.cert,
    key: tls.key,
    ca: tls.caFile === null ? "" : await readFile(tls.caFile, "utf8"),
    postmasterPid: await findPostmaster(admin),
    urlOf,
    createFilled: async (database, population) => {
      await admin.query(`create database ${database}`);
      const url = urlOf(database);
      await migrate({ adminUrl: url, masterKey, observer, settings: { agentLimitPerUser: AGENT_LIMIT } });
      await withClient(url, (client) => fillDatabase(client, population));
    },
    copy: async (database, name) => {
      await admin.query(`create database ${name} template ${database} strategy file_copy`);
    },
    createEmpty: async (database) => {
      await admin.query(`create database ${database}`);
    },
    listBackends: (database) => listPids(admin, "datname = $1", database),
    listOthers: (database) => listPids(admin, "datname <> $1", database),
    close,
  };
}

async function listPids(admin: pg.Client, condition: string, database: string): Promise<number[]> {
  const { rows } = await admin.query<{ pid: number }>(`select pid from pg_stat_activity where ${condition}`, [
    database,
  ]);
  return rows.map(({ pid }) => pid);
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function findPostmaster(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ directory: string }>("select current_setting('data_directory') as directory");
  const text = await readFile(join(rows[0]?.directory ?? "", "postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}
