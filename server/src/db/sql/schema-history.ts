import type { ClientBase } from "pg";

export interface History {
  readonly migrations: readonly string[];
  readonly functions: ReadonlyMap<string, string>;
}

interface WrittenHistory {
  readonly migrations: readonly string[];
  readonly functions: readonly { readonly name: string; readonly hash: string }[];
}

/** Empty where the schema has not been made yet. An extension has its history in its own schema. */
export async function selectHistory(client: ClientBase, schema = "private"): Promise<History> {
  const migrations = await selectWhereExists<{ name: string }>(client, `${schema}.migrations`, "name");
  const functions = await selectWhereExists<{ name: string; hash: string }>(
    client,
    `${schema}.function_files`,
    "name, hash",
  );
  return {
    migrations: migrations.map(({ name }) => name),
    functions: new Map(functions.map(({ name, hash }) => [name, hash])),
  };
}

async function selectWhereExists<Row extends object>(
  client: ClientBase,
  table: string,
  columns: string,
): Promise<Row[]> {
  const { rows } = await client.query<{ exists: boolean }>("select pg_catalog.to_regclass($1) is not null as exists", [
    table,
  ]);
  if (rows[0]?.exists !== true) return [];
  return (await client.query<Row>(`select ${columns} from ${table} order by name`)).rows;
}

/** The tables that remember what was applied; they come before the migrations, so none of these makes them. */
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
  await writeHistory(client, { migrations: names, functions: [] });
}

export async function writeHistory(
  client: ClientBase,
  { migrations, functions }: WrittenHistory,
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
