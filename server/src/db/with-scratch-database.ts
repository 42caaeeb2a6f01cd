import { randomBytes } from "node:crypto";
import pg from "pg";
import { derivePassword } from "../crypto/index.ts";
import { withClient } from "./connect-client.ts";
import { withDatabase, withRole } from "./connection.ts";
import { type MigrateOptions, migrate } from "./migrate.ts";
import { OWNER_ROLE } from "./plan-roles.ts";

const PREFIX = "swarmbase_scratch_";
/** SQLSTATE insufficient_privilege. */
const NO_PRIVILEGE = "42501";
const ABANDONED_AFTER_S = 3_600;

/** Creates a database with the schema and without rows on the server of `adminUrl`, and drops it after the work. */
export async function withScratchDatabase<T>(
  options: MigrateOptions,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { adminUrl, masterKey } = options;
  const name = await withClient(adminUrl, createScratchDatabase);
  try {
    const url = withDatabase(adminUrl, name);
    await migrate({ ...options, adminUrl: url });
    return await withClient(withRole(url, OWNER_ROLE, derivePassword(masterKey, OWNER_ROLE)), work);
  } finally {
    await withClient(adminUrl, (admin) => admin.query(`drop database if exists ${name} with (force)`));
  }
}

/** The name has the time, so that one that was left behind can be told from one in use. */
async function createScratchDatabase(admin: pg.Client): Promise<string> {
  const { rows } = await admin.query<{ now: string }>("select extract(epoch from now())::bigint::text as now");
  const nowSeconds = Number(rows[0]?.now);
  await dropAbandoned(admin, nowSeconds);
  const name = `${PREFIX}${nowSeconds}_${randomBytes(4).toString("hex")}`;
  await admin.query(`create database ${name} encoding 'UTF8'`).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== NO_PRIVILEGE) throw error;
    const advice = "Give it the right CREATEDB, or set DATABASE_ADMIN_URL to a role that has it.";
    throw new Error(`The administrator of the database may not create a scratch database. ${advice}`, { cause: error });
  });
  return name;
}

/** A process that was killed could not drop its own. */
async function dropAbandoned(admin: pg.Client, nowSeconds: number): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `select datname as name from pg_catalog.pg_database d
     where datname ~ $1 and split_part(datname, '_', 3)::bigint < $2
       and not exists (select from pg_catalog.pg_stat_activity a where a.datid = d.oid)`,
    [`^${PREFIX}[0-9]{1,15}_[0-9a-f]+$`, nowSeconds - ABANDONED_AFTER_S],
  );
  // Another role may own it, or another command drop it at the same time.
  for (const { name } of rows)
    await admin.query(`drop database if exists ${pg.escapeIdentifier(name)}`).catch(() => {});
}
