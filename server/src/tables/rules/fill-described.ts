import { isRecord } from "../../json/index.ts";
import type { RewrittenRows, WriteAttempt } from "../../rest/index.ts";
import { type Row, type Value, valueOf } from "../fields/field.ts";

export interface Describer {
  /** What the kind of a tool knows about it by its configuration; null: nothing. */
  describe(
    kind: string,
    config: Row,
  ): { readonly inputSchema: Readonly<Record<string, unknown>>; readonly description: string | null } | null;
}

/** Fills in `input_schema` and `description` of new tools that lack them, where their kind knows both. */
export function fillDescribed(
  written: RewrittenRows,
  { operation }: Pick<WriteAttempt, "operation">,
  checks: Describer,
): RewrittenRows {
  if (operation === "update") return written;
  const filled = new Set<string>();
  const rows = written.rows.map((row) => {
    const [kind, config] = [valueOf(row, "kind"), valueOf(row, "config")];
    if (typeof kind !== "string" || !isRecord(config)) return row;
    const described = checks.describe(kind, config);
    if (described === null) return row;
    const known = { input_schema: described.inputSchema as Value, description: described.description };
    const lacking = Object.entries(known).filter(([column, value]) => {
      const isGiven = written.columns.includes(column) && (valueOf(row, column) ?? null) !== null;
      return value !== null && !isGiven;
    });
    for (const [column] of lacking) filled.add(column);
    // Assigning the key `__proto__` would lose it.
    return Object.fromEntries([...Object.entries(row), ...lacking]);
  });
  if (filled.size === 0) return written;
  return { rows, columns: [...new Set([...written.columns, ...filled])] };
}
