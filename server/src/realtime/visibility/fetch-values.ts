import { type Database, runPipelined, type Scope } from "../../db/index.ts";
import type { RowChange, Tuple } from "../feed/row-change.ts";
import { readerOf } from "./row-image.ts";
import { SET_TEXT_FORMS } from "./sql/canonical-values.ts";
import { selectValues } from "./sql/select-values.ts";
import type { TableMetadata } from "./table-metadata.ts";

const SCOPE: Scope = {
  role: "service_role",
  claims: {},
  schemas: [],
  statementTimeoutMs: 2_000,
  isReadOnly: true,
  request: { method: "GET", path: "/realtime/v1/websocket", headers: {} },
};

/** Whether the WAL left out values of the new row: those stored apart that did not change. */
export function isIncomplete({ record }: RowChange): boolean {
  return record?.includes(undefined) === true;
}

/**
 * The change with what the row holds now in those places; as it is when the row is no longer there, or when others may see it
 * now: what it holds then need not be for those who get this change.
 */
export async function fetchValues(database: Database, change: RowChange, facts: TableMetadata): Promise<RowChange> {
  const { relation, record } = change;
  if (record === null || facts.primaryKey.length === 0) return change;
  const read = readerOf(relation, record);
  const key = facts.primaryKey.map((column) => ({ column, value: read(column) ?? null }));
  if (key.some(({ value }) => value === null)) return change;

  const missing = relation.columns.flatMap(({ name }, at) => (record[at] === undefined ? [{ name, at }] : []));
  const { schema, name } = relation;
  const columns = missing.map((column) => column.name);
  const unchanged = findDeciding(change, facts).map((column) => ({ column, value: read(column) ?? null }));
  const [, result] = await runPipelined(database.service, {
    scope: SCOPE,
    statements: [SET_TEXT_FORMS, selectValues({ schema, name, columns, key, unchanged })],
  });
  const row = result?.rows[0];
  if (row === undefined) return change;
  const complete: Tuple = record.map((value, at) => {
    const place = missing.findIndex((column) => column.at === at);
    return place === -1 ? value : row[place];
  });
  return { ...change, record: complete };
}

/** Columns by which row rules decide, or, where they ask for more than the change tells, all that it does tell. */
function findDeciding({ relation, record }: RowChange, { roles }: TableMetadata): string[] {
  const told = relation.columns.flatMap(({ name }, at) => (record?.[at] === undefined ? [] : [name]));
  const asked = [...roles.values()].flatMap(({ conditionColumns }) => conditionColumns ?? ["*"]);
  return asked.every((column) => told.includes(column)) ? [...new Set(asked)] : told;
}
