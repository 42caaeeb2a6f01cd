/** The tables whose changes the event list shows. */
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
  /** Unique. */
  readonly key: string;
  /** The commit time, in ISO 8601. */
  readonly at: string;
  readonly table: TailTable | "webhook_delivery_attempts";
  /** For a deleted row, only its key columns. */
  readonly row: ChangedRow;
}

/** Realtime was disconnected: changes may be missing here. */
interface Gap {
  readonly kind: "gap";
  readonly key: string;
  readonly at: string;
}

export type Change = RowChanged | Gap;

interface ChangePayload {
  readonly eventType: RowChanged["kind"];
  readonly commit_timestamp: string;
  readonly new: object;
  readonly old: object;
}

/** Columns that the event list must not show. */
const HIDDEN: ReadonlySet<string> = new Set(["secret"]);

export function readChange(table: TailTable, payload: ChangePayload): RowChanged {
  const row = payload.eventType === "DELETE" ? payload.old : payload.new;
  const shown = Object.fromEntries(Object.entries(row).filter(([name]) => !HIDDEN.has(name)));
  return {
    kind: payload.eventType,
    key: keyOf(table, payload.eventType, shown),
    at: payload.commit_timestamp,
    table,
    row: shown,
  };
}

/** Builds the change from a row that was read, instead of received over realtime. */
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

/** The same change has the same key whether it was read or received. Runs and tool calls count once per status. */
function keyOf(table: RowChanged["table"], kind: RowChanged["kind"], row: ChangedRow): string {
  const id = String(row["id"]);
  if (kind === "DELETE") return crypto.randomUUID();
  if (table === "runs" || table === "tool_executions") return `${table}:${id}:${String(row["status"])}`;
  return kind === "INSERT" ? `${table}:${id}` : crypto.randomUUID();
}
