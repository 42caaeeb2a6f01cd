/** The tables whose changes are told in the list of what is happening. */
export const TAIL_TABLES = [
  "agents",
  "message_flags",
  "messages",
  "runs",
  "swarm_agents",
  "swarm_members",
  "swarms",
  "tool_executions",
  "tools",
  "webhook_recoveries",
  "webhooks",
] as const;
export type TailTable = (typeof TAIL_TABLES)[number];

export type ChangedRow = Readonly<Record<string, unknown>>;

export interface RowChanged {
  readonly kind: "INSERT" | "UPDATE" | "DELETE";
  /** Unique among all. */
  readonly key: string;
  /** ISO 8601, when it was committed. */
  readonly at: string;
  readonly table: TailTable | "webhook_delivery_attempts";
  /** Of a row that is gone, what identifies it. */
  readonly row: ChangedRow;
}

/** For a while nobody listened: something may be missing here. */
interface Gap {
  readonly kind: "gap";
  readonly key: string;
  readonly at: string;
}

export type Change = RowChanged | Gap;

interface ToldChange {
  readonly eventType: RowChanged["kind"];
  readonly commit_timestamp: string;
  readonly new: object;
  readonly old: object;
}

/** The secret of a webhook is nothing to show in passing. */
const HIDDEN: ReadonlySet<string> = new Set(["secret"]);

export function readChange(table: TailTable, told: ToldChange): RowChanged {
  const row = told.eventType === "DELETE" ? told.old : told.new;
  const shown = Object.fromEntries(Object.entries(row).filter(([name]) => !HIDDEN.has(name)));
  return {
    kind: told.eventType,
    key: keyOf(table, told.eventType, shown),
    at: told.commit_timestamp,
    table,
    row: shown,
  };
}

/** Something that was read rather than told: the row as it is, at the time when it became so. */
export function readRow(table: RowChanged["table"], row: ChangedRow): RowChanged {
  const at = row["finished_at"] ?? row["created_at"];
  return {
    kind: "INSERT",
    key: keyOf(table, "INSERT", row),
    at: typeof at === "string" ? at : new Date(0).toISOString(),
    table,
    row,
  };
}

/** What is told and read is one thing, and a run or a tool call in one state is one thing, whatever else changes in its row. */
function keyOf(table: RowChanged["table"], kind: RowChanged["kind"], row: ChangedRow): string {
  const id = String(row["id"]);
  if (kind === "DELETE") return crypto.randomUUID();
  if (table === "runs" || table === "tool_executions") return `${table}:${id}:${String(row["status"])}`;
  return kind === "INSERT" ? `${table}:${id}` : crypto.randomUUID();
}
