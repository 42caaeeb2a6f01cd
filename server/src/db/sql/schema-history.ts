import type { ClientBase } from "pg";
import { hasTable } from "./has-table.ts";

interface HashedFile {
  readonly name: string;
  readonly hash: string;
}

export interface History {
  /** Hash of the text that was applied, by name. */
  readonly migrations: ReadonlyMap<string, string>;
  /** Hash of the text that was applied last, by the name of a file of functions or comments. */
  readonly hashedFiles: ReadonlyMap<string, string>;
}

/** Empty where the schema has not been made yet. An extension has its history in its own schema. */
export async function selectHistory(client: ClientBase, schema = "private"): Promise<History> {
  return {
    migrations: await selectHashes(client, `${schema}.migrations`),
    hashedFiles: await selectHashes(client, `${schema}.function_files`),
  };
}

async function selectHashes(client: ClientBase, table: string): Promise<Map<string, string>> {
  if (!(await hasTable(client, table))) return new Map();
  // The table of another build may lack the column. Its hashes are null then, and equal none.
  const { rows } = await client.query<HashedFile>(
    `select name, to_jsonb(t) ->> 'hash' as hash from ${table} t order by name`,
  );
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

/** Creates the tables of the history. They must exist before the first migration is applied, so no migration creates them. */
export async function createHistory(client: ClientBase, schema = "private"): Promise<void> {
  await client.query(`
    create schema if not exists ${schema};
    create table if not exists ${schema}.migrations (
      id serial constraint migrations_pkey primary key,
      name varchar(255) not null,
      hash text not null,
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

export async function writeHistory(
  client: ClientBase,
  {
    migrations,
    hashedFiles,
  }: { readonly migrations: readonly HashedFile[]; readonly hashedFiles: readonly HashedFile[] },
  schema = "private",
): Promise<void> {
  await client.query(
    `insert into ${schema}.migrations (name, hash, run_on)
     select given.name, given.hash, now()
     from unnest($1::text[], $2::text[]) with ordinality as given (name, hash, place) order by given.place`,
    columnsOf(migrations),
  );
  await client.query(
    `insert into ${schema}.function_files (name, hash) select * from unnest($1::text[], $2::text[])
     on conflict (name) do update set hash = excluded.hash, applied_at = excluded.applied_at`,
    columnsOf(hashedFiles),
  );
}

function columnsOf(files: readonly HashedFile[]): [string[], string[]] {
  return [files.map(({ name }) => name), files.map(({ hash }) => hash)];
}
