import { type Database, runPipelined, type TransactionScope } from "../../../db/index.ts";
import { readerOf } from "../../feed/read-column.ts";
import type { RowChange, Tuple } from "../../feed/row-change.ts";
import type { TableMetadata } from "../tables/table-metadata.ts";
import { SET_TEXT_FORMS, selectValues } from "./sql/select-values.ts";

const SCOPE: TransactionScope = {
  role: "service_role",
  claims: {},
  schemas: [],
  statementTimeoutMs: 2_000,
  isReadOnly: true,
  request: { method: "GET", path: "/realtime/v1/websocket", headers: {} },
};

/** Whether the WAL omits values of the new row: unchanged values in TOAST storage. */
export function isIncomplete({ record }: RowChange): boolean {
  return record?.includes(undefined) === true;
}

/** Fills the omitted values from the current row, unless it is gone or other users may see it now. */
export async function fetchValues(database: Database, change: RowChange, metadata: TableMetadata): Promise<RowChange> {
  const { relation, record } = change;
  if (record === null || metadata.primaryKey.length === 0) return change;
  const read = readerOf(relation, record);
  const key = metadata.primaryKey.map((column) => ({ column, value: read(column) ?? null }));
  if (key.some(({ value }) => value === null)) return change;

  const missing = relation.columns.flatMap(({ name }, index) => (record[index] === undefined ? [{ name, index }] : []));
  const { schema, name } = relation;
  const columns = missing.map((column) => column.name);
  const unchanged = findPolicyColumns(change, metadata).map((column) => ({ column, value: read(column) ?? null }));
  const [, result] = await runPipelined(database.service, {
    scope: SCOPE,
    statements: [SET_TEXT_FORMS, selectValues({ schema, name, columns, key, unchanged })],
  });
  const row = result?.rows[0];
  if (row === undefined) return change;
  const complete: Tuple = record.map((value, index) => {
    const position = missing.findIndex((column) => column.index === index);
    return position === -1 ? value : row[position];
  });
  return { ...change, record: complete };
}

/** The columns that the policies use, or all known columns when a policy uses one that the change omits. */
function findPolicyColumns({ relation, record }: RowChange, { roles }: TableMetadata): string[] {
  const known = relation.columns.flatMap(({ name }, index) => (record?.[index] === undefined ? [] : [name]));
  const used = [...roles.values()].flatMap(({ conditionColumns }) => conditionColumns ?? ["*"]);
  return used.every((column) => known.includes(column)) ? [...new Set(used)] : known;
}
