import { isSameJson, type Json } from "@swarmbase/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { changeCachedRows, replaceRow } from "./cached-rows.ts";
import type { Client, TableName } from "./client.ts";
import { Failure, unwrap } from "./failure.ts";
import { GUARDRAIL_COLUMNS } from "./guardrails.ts";
import { TARGETED_COLUMNS } from "./run-targets.ts";
import { webhookColumns } from "./webhooks.ts";
import { useWrite, type Write } from "./write.ts";

interface EditedRow {
  readonly id: string;
  readonly updated_at: string;
}

interface Edit<Row, Change> {
  /** The row as it was when the user began to edit it. */
  readonly base: Row;
  /** Only columns that differ from those of `base` are written. */
  readonly change: Change;
}

/** A column that was saved with another value after the user began to edit it. */
interface ColumnConflict {
  readonly column: string;
  readonly stored: unknown;
  readonly mine: unknown;
}

type Columns = Readonly<Record<string, unknown>>;

class ConflictFailure extends Failure {
  readonly conflicts: readonly ColumnConflict[];
  readonly stored: EditedRow;
  readonly change: Columns;

  constructor(stored: EditedRow, change: Columns, conflicts: readonly ColumnConflict[]) {
    super("It was changed in the meantime, so nothing is saved. Look at the differences, then save again.", {});
    this.stored = stored;
    this.change = change;
    this.conflicts = conflicts;
  }
}

interface SaveEdit<Row, Change> extends Omit<Write<Edit<Row, Change>, Row>, "failure"> {
  readonly failure: (Failure & { readonly conflicts?: readonly ColumnConflict[] }) | null;
  /** After a conflict: saves all values of the user, or only those of columns that nobody else changed. */
  resolve(choice: "mine" | "stored"): Promise<Row | null>;
}

interface Edited {
  /** The columns that the pages cache; by default all. */
  columns?(): string;
  /** Other tables whose rows the change affects. */
  readonly affects?: readonly TableName[];
}

const TABLES = {
  agents: { affects: ["agent_versions"] },
  eval_cases: {},
  eval_datasets: {},
  event_feeds: {},
  guardrails: { columns: () => GUARDRAIL_COLUMNS, affects: ["agent_versions"] },
  schedules: { columns: () => TARGETED_COLUMNS },
  swarms: {},
  tools: { affects: ["agent_tools", "agent_versions"] },
  triggers: { columns: () => TARGETED_COLUMNS },
  webhooks: { columns: webhookColumns },
} as const satisfies Readonly<Record<string, Edited>>;

type EditedTable = keyof typeof TABLES;

/** Saves an edited row without overwriting what another tab or person saved in the meantime. */
export function useSaveEdit<Row extends EditedRow, Change extends object>(table: EditedTable): SaveEdit<Row, Change> {
  const { columns = () => "*", affects = [] }: Edited = TABLES[table];
  const queries = useQueryClient();
  const save = useWrite<Edit<Row, Change>, Row>({
    tables: [table, ...affects],
    write: async (client, { base, change }) => {
      const saved = await saveUnchanged(client, { table, columns: columns() }, base, change as Columns);
      // The next edit begins with this row, also if it begins before the table is read again.
      changeCachedRows(queries, table, replaceRow(saved));
      return saved as Row;
    },
  });
  const { failure } = save;
  const conflict = failure instanceof ConflictFailure ? failure : null;
  return {
    ...save,
    resolve: async (choice) => {
      if (conflict === null) return null;
      const { stored, change, conflicts } = conflict;
      const isLeft = (column: string) => choice === "stored" && conflicts.some((one) => one.column === column);
      const kept = Object.entries(change).filter(([column]) => !isLeft(column));
      return save.run({ base: stored as Row, change: Object.fromEntries(kept) as Change });
    },
  };
}

/** The condition on `updated_at` is part of the write, so that no change can come between the comparison and the write. */
async function saveUnchanged(
  client: Client,
  { table, columns }: { readonly table: EditedTable; readonly columns: string },
  base: EditedRow,
  change: Columns,
): Promise<EditedRow> {
  // One type stands for all tables: the client has no types for a choice of them.
  const rows = () => client.from(table as "agents");
  const changed = pick(change, (column) => !isSame(change[column], valueOf(base, column)));
  if (Object.keys(changed).length === 0) return base;
  for (let expected = base.updated_at; ; ) {
    const written = rows()
      .update(changed as never)
      .eq("id", base.id)
      .eq("updated_at", expected);
    const [saved] = (await unwrap(written.select(columns as "*"))) as readonly EditedRow[];
    if (saved !== undefined) return saved;
    const stored: EditedRow | null = await unwrap(
      rows()
        .select(columns as "*")
        .eq("id", base.id)
        .maybeSingle(),
    );
    if (stored === null) throw new Failure("It was deleted in the meantime.", {});
    if (stored.updated_at === expected) throw new Failure("You may no longer change it.", {});
    const conflicts = listConflicts(base, stored, changed);
    if (conflicts.length > 0) throw new ConflictFailure(stored, changed, conflicts);
    // Other columns have changed, which this write leaves as they are.
    expected = stored.updated_at;
  }
}

function listConflicts(base: EditedRow, stored: EditedRow, changed: Columns): readonly ColumnConflict[] {
  return Object.entries(changed).flatMap(([column, mine]) => {
    const now = valueOf(stored, column);
    return isSame(now, valueOf(base, column)) || isSame(now, mine) ? [] : [{ column, stored: now, mine }];
  });
}

function valueOf(row: EditedRow, column: string): unknown {
  return (row as EditedRow & Columns)[column];
}

function pick(columns: Columns, isPicked: (column: string) => boolean): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([column]) => isPicked(column)));
}

function isSame(one: unknown, other: unknown): boolean {
  return isSameJson(one as Json | undefined, other as Json | undefined);
}
