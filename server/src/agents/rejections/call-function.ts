import type pg from "pg";
import { type Queryable, translateUnavailable } from "../../db/index.ts";
import { translateRejection } from "./rejections.ts";

interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs one statement. A rejection by the database becomes the error that the client gets. */
export async function callRows<Row extends pg.QueryResultRow>(
  pool: Queryable,
  statement: NamedStatement,
): Promise<Row[]> {
  try {
    const { rows } = await pool.query<Row>({ ...statement, values: [...statement.values] });
    return rows;
  } catch (error) {
    throw translateRejection(translateUnavailable(error), statement.name);
  }
}

/** The only value of the only row. */
export async function callValue<Value>(pool: Queryable, statement: NamedStatement): Promise<Value> {
  const [row] = await callRows<{ value: Value }>(pool, statement);
  if (row === undefined) throw new Error(`${statement.name} returned no row`);
  return row.value;
}
