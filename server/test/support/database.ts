import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { derivePassword } from "../../src/crypto/index.ts";
import { withDatabase, withRole } from "../../src/db/index.ts";
import { TEMPLATE } from "./cluster.ts";

/** SQLSTATE object_in_use. */
const IN_USE = "55006";
const DROP_ATTEMPTS = 300;
const DROP_PAUSE_MS = 100;

/** What ends a test's resources: node:test's context, or anything that collects closers. */
export interface Cleanup {
  after(close: () => Promise<void>): void;
}

export interface TestDatabase {
  readonly masterKey: string;
  /** Superuser. */
  readonly adminUrl: string;
  readonly ownerUrl: string;
  url(role: "swarmbase_owner" | "sb_user" | "sb_service" | "sb_hook"): string;
  readonly owner: pg.Client;
}

export interface Cluster {
  readonly adminUrl: string;
  readonly masterKey: string;
}

/** The cluster that the test run has started; `npm run test:all -- <files>` does so for single files too. */
export function sharedCluster(): Cluster {
  const text = process.env["SWARMBASE_TEST_CLUSTER"];
  if (text === undefined) throw new Error("run tests with: npm run test:all -- <files>");
  return JSON.parse(text) as Cluster;
}

/** A fresh migrated database of its own for the caller, dropped when the test ends. */
export async function createTestDatabase(t: Cleanup, cluster: Cluster = sharedCluster()): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await asAdmin(
    cluster,
    // Without fsync a copy of files costs less than one through the log.
    `create database ${name} template ${TEMPLATE} strategy file_copy`,
    // Rights on a database are not copied with it.
    `revoke temporary on database ${name} from public;
     grant connect, create, temporary on database ${name} to swarmbase_owner`,
  );
  const adminUrl = withDatabase(cluster.adminUrl, name);
  const url = (role: string): string => withRole(adminUrl, role, derivePassword(cluster.masterKey, role));
  const owner = new pg.Client({ connectionString: url("swarmbase_owner") });
  owner.on("error", () => {});
  await owner.connect();
  t.after(async () => {
    await owner.end();
    await dropDatabase(cluster, name);
  });
  return { masterKey: cluster.masterKey, adminUrl, ownerUrl: url("swarmbase_owner"), url, owner };
}

/** A sender that was asked to end may take a moment, and until then nothing drops the database of its slot. */
async function dropDatabase(cluster: Cluster, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await asAdmin(cluster, `drop database ${name} with (force)`);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== IN_USE || attempt === DROP_ATTEMPTS) throw error;
      await sleep(DROP_PAUSE_MS);
    }
  }
}

async function asAdmin(cluster: Cluster, ...statements: readonly string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: cluster.adminUrl });
  await admin.connect();
  try {
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
}
