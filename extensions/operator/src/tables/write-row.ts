import { AppError, isRecord } from "swarmbase/extension";
import type { OperatorContext } from "../operator-route.ts";
import { invalidField, readBody, requireText } from "../read-input.ts";
import type { Table, TableColumn } from "./describe-table.ts";
import { getColumn } from "./filters.ts";
import { parseValue, quoteName, quoteText, renderSame, type Value } from "./values.ts";
import { writeAsService } from "./write-as-service.ts";

/** One row by its key, and for each column the value that the operator saw and the new one. */
export interface RowChange {
  readonly key: Readonly<Record<string, string>>;
  readonly changes: readonly { readonly column: TableColumn; readonly from: Value; readonly to: Value }[];
}

export function readRowChange(table: Table, sent: unknown): RowChange {
  const body = readBody(sent, ["key", "changes"]);
  const { key, changes } = body;
  if (!table.is_editable) throw new AppError("FORBIDDEN", `Rows of ${table.name} cannot be edited`);
  if (!isRecord(key) || Object.keys(key).length !== table.key.length)
    throw invalidField("key", `must have ${table.key.join(", ")}`);
  if (!isRecord(changes) || Object.keys(changes).length === 0) throw invalidField("changes", "must name a column");
  return {
    key: Object.fromEntries(
      table.key.map((name) => {
        const value = key[name];
        // Keys are in the audit log.
        requireText(value, "key", `must have ${name} as`);
        return [name, value];
      }),
    ),
    changes: Object.entries(changes).map(([name, change]) => {
      const column = getColumn(table, name, "changes");
      if (!column.is_editable) throw invalidField(name, "cannot be edited");
      const { from, to } = isRecord(change) ? change : {};
      if (!isValue(from) || !isValue(to)) throw invalidField(name, "must have from and to, as text or null");
      return { column, from, to };
    }),
  };
}

/** Writes as the service role: constraints, triggers and the rules of the table apply. 409 when a value is no longer the old one. */
export async function writeRow(context: OperatorContext, table: Table, { key, changes }: RowChange): Promise<void> {
  const ofKey = Object.entries(key).map(([name, value]) => `${quoteName(name)}.eq.${quoteText(value)}`);
  const same = changes.map(({ column, from }) => renderSame(column, from));
  const body = Object.fromEntries(changes.map(({ column, to }) => [column.name, parseValue(column, to)]));
  const path = (conditions: readonly string[]): string => {
    const query = new URLSearchParams({
      select: table.key.map(quoteName).join(","),
      and: `(${conditions.join(",")})`,
    });
    return `/${encodeURIComponent(table.name)}?${query.toString()}`;
  };
  const written = await writeAsService(context, {
    method: "PATCH",
    path: path([...ofKey, ...same]),
    headers: { "content-profile": table.schema, prefer: "return=representation" },
    body,
  });
  if (Array.isArray(written.body) && written.body.length > 0) return;
  const found = await context.restAsService({
    method: "GET",
    path: path(ofKey),
    headers: { "accept-profile": table.schema },
  });
  if (Array.isArray(found.body) && found.body.length > 0)
    throw new AppError("ROW_CHANGED", "Somebody has changed the row meanwhile. Load it again, and repeat the change");
  throw new AppError("NOT_FOUND", "The row does not exist");
}

function isValue(value: unknown): value is Value {
  return value === null || typeof value === "string";
}
