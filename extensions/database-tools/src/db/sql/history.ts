import type { ClientBase } from "pg";

/** The schema of the record of the app's migrations. */
export const HISTORY_SCHEMA = "app_migrations";

export interface AppliedMigration {
  readonly name: string;
  readonly hash: string;
}

/** Nobody but the owner reads the table: it has neither grants nor policies. */
export async function createHistory(client: ClientBase): Promise<void> {
  await client.query(`create schema if not exists ${HISTORY_SCHEMA};
    create table if not exists ${HISTORY_SCHEMA}.applied (
      name text constraint applied_pkey primary key,
      hash text not null,
      applied_at timestamptz not null default now()
    );
    alter table ${HISTORY_SCHEMA}.applied enable row level security`);
}

export async function selectHistory(client: ClientBase): Promise<readonly AppliedMigration[]> {
  const { rows: found } = await client.query<{ oid: string | null }>(
    `select to_regclass('${HISTORY_SCHEMA}.applied')::text as oid`,
  );
  if ((found[0]?.oid ?? null) === null) return [];
  const { rows } = await client.query<AppliedMigration>(
    `select name, hash from ${HISTORY_SCHEMA}.applied order by name`,
  );
  return rows;
}

export async function insertApplied(client: ClientBase, { name, hash }: AppliedMigration): Promise<void> {
  await client.query(`insert into ${HISTORY_SCHEMA}.applied (name, hash) values ($1, $2)`, [name, hash]);
}

export async function dropHistory(client: ClientBase): Promise<void> {
  await client.query(`drop schema if exists ${HISTORY_SCHEMA} cascade`);
}

/** Any number will do, as long as every command takes the same. */
const LOCK_KEY = 7_302_911_417;

/** Held until the connection ends. Resolves with false when another command holds it. */
export async function tryLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [LOCK_KEY]);
  return rows[0]?.taken === true;
}

export async function waitForLock(client: ClientBase): Promise<void> {
  await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
}
