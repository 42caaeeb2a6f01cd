import type { QueryConfig, QueryResultRow } from "pg";
import type { Queryable } from "../../db/index.ts";

export async function selectRows<Row extends QueryResultRow>(
  client: Queryable,
  statement: string | QueryConfig,
  values?: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await client.query<Row>(statement, values as unknown[]);
  return rows;
}

/** Returns null when there is no row. */
export async function findRow<Row extends QueryResultRow>(
  ...query: Parameters<typeof selectRows>
): Promise<Row | null> {
  return (await selectRows<Row>(...query))[0] ?? null;
}

export async function getRow<Row extends QueryResultRow>(...query: Parameters<typeof selectRows>): Promise<Row> {
  const row = await findRow<Row>(...query);
  if (row === null) throw new Error("the statement returned no row");
  return row;
}

export type Columns<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/** Columns that are undefined get their default. */
export async function insertRow<Row extends QueryResultRow>(
  client: Queryable,
  table: string,
  columns: Columns<Row>,
): Promise<Row> {
  const { names, values } = splitColumns(columns);
  const places = names.map((_name, index) => `$${index + 1}`);
  return getRow(client, `insert into ${table} (${names.join()}) values (${places.join()}) returning *`, values);
}

/** Keeps columns that are undefined. */
export async function updateRow<Row extends QueryResultRow>(
  client: Queryable,
  table: string,
  id: string,
  columns: Columns<Row>,
): Promise<Row> {
  const { names, values } = splitColumns(columns);
  const assignments = names.map((name, index) => `${name} = $${index + 2}, `).join("");
  const statement = `update ${table} set ${assignments}updated_at = now() where id = $1 returning *`;
  return getRow(client, statement, [id, ...values]);
}

function splitColumns(columns: object): { readonly names: readonly string[]; readonly values: readonly unknown[] } {
  const given = Object.entries<unknown>({ ...columns }).filter(([, value]) => value !== undefined);
  const names = given.map(([name]) => name);
  // The names come from the code. The check keeps it so.
  if (!names.every((name) => /^[a-z_]+$/.test(name))) throw new Error("the name of a column is not valid");
  return { names, values: given.map(([, value]) => value) };
}

/** Runs the work, and rolls back what it wrote unless its result is kept. */
export async function runTrial<T>(
  client: Queryable,
  isKept: (result: T) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  await client.query("savepoint trial");
  const result = await work();
  await client.query(isKept(result) ? "release savepoint trial" : "rollback to savepoint trial");
  return result;
}

/** Returns an id before its row exists, for values that repeat it. */
export async function selectNewId(client: Queryable): Promise<string> {
  return (await getRow<{ id: string }>(client, "select private.new_id() as id")).id;
}
