import pg from "pg";
import type { CommandDatabase } from "swarmbase/extension";
import { BEGIN_READ_ONLY, BEGIN_WRITES, IS_SUPERUSER } from "./sql/begin.ts";

interface Statement {
  readonly text: string;
  readonly values?: readonly (string | number | boolean)[];
}

interface SqlResult {
  readonly command: string | null;
  /** How many rows a write has changed. */
  readonly row_count: number | null;
  readonly columns: readonly string[];
  /** As PostgreSQL writes the values. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** There are more rows, or longer values, than a result may have. */
  readonly is_truncated: boolean;
}

const MAX_ROWS = 200;
const MAX_VALUE_CHARACTERS = 4_000;
const MAX_RESULT_CHARACTERS = 50_000;
/** Rows that are asked of the server at a time, so that a large result is not read to its end. */
const ROWS_AT_A_TIME = 20;

/** Without writes, only these: no other statement reads, and some outlive a transaction. The transaction prevents what they call. */
const QUERY = /^(?:\s|--[^\n]*\n|\/\*(?:(?!\/\*|\*\/)[\s\S])*\*\/|\()*(?:select|with|values|table|explain|show)\b/i;
const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

/** An error of which the message is for the model. */
export class SqlError extends Error {}

/**
 * Runs one statement; the extended protocol accepts no second one. Without writes it runs in a read-only transaction that cannot
 * be made writable, because a query was run in it, and that is never committed. The role is no superuser, so its functions reach
 * neither files nor programs of the server.
 */
export async function runSql({ client }: CommandDatabase, statement: Statement, canWrite: boolean): Promise<SqlResult> {
  if (!canWrite && !QUERY.test(statement.text))
    throw new SqlError(
      "Only select, with, values, table, explain and show are accepted: the server was started without --allow-writes.",
    );
  await client.query(canWrite ? BEGIN_WRITES : BEGIN_READ_ONLY);
  const { rows } = await client.query<{ is_superuser: boolean }>(IS_SUPERUSER);
  if (rows[0]?.is_superuser !== false && !canWrite)
    throw new SqlError("The database role is a superuser, for whom a read-only transaction is no limit.");
  try {
    return await query(client, statement);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? new SqlError(describe(error)) : error;
  }
}

function describe({ severity = "ERROR", message, code = "", detail, hint, position }: pg.DatabaseError): string {
  const place = position === undefined ? "" : ` at character ${position}`;
  return [`${severity}: ${message} (${code})${place}`, detail, hint].filter((line) => line !== undefined).join("\n");
}

/** The part of the driver's query that it has no types for. */
interface QueryHandlers {
  handleDataRow(message: { fields: (string | null)[] }): void;
  handlePortalSuspended(connection: { sync(): void }): void;
}

function query(client: pg.Client, { text, values = [] }: Statement): Promise<SqlResult> {
  return new Promise((resolve, reject) => {
    let rowCount = 0;
    let characters = 0;
    let isTruncated = false;
    const config = { text, values: [...values], rows: ROWS_AT_A_TIME, rowMode: "array", types: AS_TEXT };
    const submitted = new pg.Query(config, (error, result) => {
      if (error !== undefined && error !== null) return reject(error);
      resolve({
        command: result.command ?? null,
        row_count: result.rowCount ?? null,
        columns: result.fields.map(({ name }) => name),
        rows: result.rows as (string | null)[][],
        is_truncated: isTruncated,
      });
    });
    const handlers = submitted as unknown as QueryHandlers;
    const { handleDataRow, handlePortalSuspended } = handlers;
    handlers.handleDataRow = (message) => {
      const shortened = message.fields.map((value) => {
        if (value === null || value.length <= MAX_VALUE_CHARACTERS) return value;
        isTruncated = true;
        return `${value.slice(0, MAX_VALUE_CHARACTERS)}…`;
      });
      characters += shortened.reduce((sum, value) => sum + (value?.length ?? 0), 0);
      rowCount += 1;
      if (rowCount > MAX_ROWS || (rowCount > 1 && characters > MAX_RESULT_CHARACTERS)) isTruncated = true;
      else handleDataRow.call(submitted, { ...message, fields: shortened });
    };
    handlers.handlePortalSuspended = (connection) => {
      if (rowCount > MAX_ROWS || characters > MAX_RESULT_CHARACTERS) connection.sync();
      else handlePortalSuspended.call(submitted, connection);
    };
    client.query(submitted);
  });
}
