import { type Change, type ChangedRow, readRow, type RowChanged } from "./change.ts";
import { getClient } from "./client.ts";
import { unwrap } from "./failure.ts";
import { inRange, newestAfter, type TimedRow, type TimeRange } from "./keyset.ts";
import { readAttemptPage } from "./recent-attempts.ts";

/** The changes that rows tell of, the newest first. */
interface History {
  /** Reads the next ones. None is missing between them and those before. */
  readMore(signal: AbortSignal): Promise<readonly Change[]>;
  hasMore(): boolean;
  /** The time since which all of them are read. */
  readSinceMs(): number;
}

const PAGE = 50;

type ReadTable = Exclude<RowChanged["table"], "webhook_delivery_attempts">;
/** The columns to read; the secret of a webhook is not among them. */
const COLUMNS: Partial<Record<ReadTable, string>> = {
  agents: "*",
  messages: "*",
  runs: "*",
  swarms: "*",
  tool_executions: "*",
  webhooks: "id, name, url, events, is_active, disabled_reason, disabled_at, created_at, updated_at",
};

interface Source {
  readonly table: RowChanged["table"];
  read(last: TimedRow | null, signal: AbortSignal): Promise<readonly ChangedRow[]>;
  /** The last row that was read. */
  last: TimedRow | null;
  isComplete: boolean;
  /** Read, but older than what other sources have not told yet. */
  held: readonly ChangedRow[];
}

/** What of the past is told. */
export interface HistoryScope {
  readonly range: TimeRange;
  /** Null means those of all tables. */
  readonly tables: readonly RowChanged["table"][] | null;
}

export const WHOLE_HISTORY: HistoryScope = { range: { since: null, until: null }, tables: null };

export function createHistory({ range, tables }: HistoryScope): History {
  const all = [
    ...Object.entries(COLUMNS).map(([table, columns]) => createTableSource(table as ReadTable, columns, range)),
    createSource("webhook_delivery_attempts", (last, signal) => readAttemptPage({ last, size: PAGE, signal, range })),
  ];
  const sources = all.filter(({ table }) => tables === null || tables.includes(table));
  let sinceMs = Number.NEGATIVE_INFINITY;
  return {
    readSinceMs: () => sinceMs,
    hasMore: () => sources.some(({ held, isComplete }) => held.length > 0 || !isComplete),
    readMore: async (signal) => {
      await Promise.all(sources.map((source) => fill(source, signal)));
      // Before this time, a source may have rows that are not read.
      const [since = ""] = sources
        .flatMap(({ isComplete, last }) => (isComplete || last === null ? [] : [last.created_at]))
        .toSorted()
        .toReversed();
      sinceMs = since === "" ? Number.NEGATIVE_INFINITY : Date.parse(since);
      return sources.flatMap((source) => {
        const told = source.held.filter((row) => timeOf(row) >= since);
        source.held = source.held.slice(told.length);
        return told.map((row) => readRow(source.table, row));
      });
    },
  };
}

async function fill(source: Source, signal: AbortSignal): Promise<void> {
  if (source.held.length > 0 || source.isComplete) return;
  const rows = await source.read(source.last, signal);
  source.held = rows;
  source.last = (rows.at(-1) as TimedRow | undefined) ?? source.last;
  source.isComplete = rows.length < PAGE;
}

function createSource(table: Source["table"], read: Source["read"]): Source {
  return { table, read, last: null, isComplete: false, held: [] };
}

function createTableSource(table: ReadTable, columns: string, range: TimeRange): Source {
  return createSource(table, (last, signal) => {
    const query = inRange(getClient().from(table).select<string, ChangedRow>(columns), range);
    return unwrap(newestAfter(query, last).limit(PAGE).abortSignal(signal));
  });
}

function timeOf(row: ChangedRow): string {
  return String(row["created_at"]);
}
