import type { ClientBase } from "pg";
import { hasTable } from "./has-table.ts";

export interface History {
  readonly migrations: readonly string[];
  /** Hash of the text that was applied last, by the name of the function file. */
  readonly functions: ReadonlyMap<string, string>;
}

/** Empty where the schema has not been made yet. An extension has its history in its own schema. */
export async function selectHistory(client: ClientBase, schema = "private"): Promise<History> {
  const migrations = await selectWhereExists<{ name: string }>(client, `${schema}.migrations`);
  const functions = await selectWhereExists<{ name: string; hash: string }>(client, `${schema}.function_files`);
  return {
    migrations: migrations.map(({ name }) => name),
    functions: new Map(functions.map(({ name, hash }) => [name, hash])),
  };
}

async function selectWhereExists<Row extends object>(client: ClientBase, table: string): Promise<Row[]> {
  if (!(await hasTable(client, table))) return [];
  return (await client.query<Row>(`select * from ${table} order by name`)).rows;
}

/** Creates the tables of the history. They must exist before the first migration is applied, so no migration creates them. */
export async function createHistory(client: ClientBase, schema = "private"): Promise<void> {
  await client.query(`
    create schema if not exists ${schema};
    create table if not exists ${schema}.migrations (
      id serial constraint migrations_pkey primary key,
      name varchar(255) not null,
      run_on timestamp not null
    );
    alter table ${schema}.migrations enable row level security;
    create table if not exists ${schema}.function_files (
      name text constraint function_files_pkey primary key,
      hash text not null,
      applied_at timestamptz not null default now()
    );
    alter table ${schema}.function_files enable row level security`);
}

export async function replaceHistory(client: ClientBase, names: readonly string[]): Promise<void> {
  await client.query("delete from private.migrations");
  await writeHistory(client, names, []);
}

export async function writeHistory(
  client: ClientBase,
  migrations: readonly string[],
  functions: readonly { readonly name: string; readonly hash: string }[],
  schema = "private",
): Promise<void> {
  await client.query(
    `insert into ${schema}.migrations (name, run_on)
     select given.name, now() from unnest($1::text[]) with ordinality as given (name, place) order by given.place`,
    [migrations],
  );
  await client.query(
    `insert into ${schema}.function_files (name, hash) select * from unnest($1::text[], $2::text[])
     on conflict (name) do update set hash = excluded.hash, applied_at = excluded.applied_at`,
    [functions.map(({ name }) => name), functions.map(({ hash }) => hash)],
  );
}
