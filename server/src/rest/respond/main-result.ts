import type { StatementResult, TextRow } from "@swarmbase/postgres";
import { CUT_NOTICE } from "../sql/planned-statement.ts";

/** The result of a main statement and of the statements after it. */
export interface MainResult {
  /** The parts of the body, one for each row. */
  readonly parts: readonly string[];
  readonly rows: number;
  readonly total: number | null;
  /** The row cap has cut off rows of the result or of an embedded list. */
  readonly isCut: boolean;
  readonly status: string | null;
  readonly headers: string | null;
  readonly location: string | null;
  readonly inserted: number | null;
  readonly csvHeader: string | null;
}

interface ResultInput {
  readonly main: Pick<StatementResult, "rows" | "notices">;
  /** Of foreign SQL: `response.status` and `response.headers`. */
  readonly settings: Pick<StatementResult, "rows"> | null;
  readonly csvHeader: Pick<StatementResult, "rows"> | null;
}

/** `rowCap`: the number of rows that one more was read than; null means none. */
export function readMainResult({ main, settings, csvHeader }: ResultInput, rowCap: number | null): MainResult {
  const [first] = main.rows;
  const figures: TextRow | null = first !== undefined && first[0] === null ? first : null;
  const parts = (figures === null ? main.rows : main.rows.slice(1)).map(([part]) => part ?? "");
  const [, count = null, total = null, location = null, inserted = null] = figures ?? [];
  const rows = toCount(count) ?? parts.length;
  const isOver = rowCap !== null && rows > rowCap;
  if (isOver) parts.length = Math.min(parts.length, rowCap);
  const [status = null, headers = null] = settings?.rows[0] ?? [];
  return {
    parts,
    rows: isOver ? rowCap : rows,
    total: toCount(total),
    isCut: isOver || main.notices?.includes(CUT_NOTICE) === true,
    status,
    headers,
    location,
    inserted: toCount(inserted),
    csvHeader: csvHeader?.rows[0]?.[0] ?? null,
  };
}

function toCount(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** How many rows the planner expects, from `explain (format json)`. */
export function readEstimate({ rows }: StatementResult): number {
  const [plan] = JSON.parse(rows[0]?.[0] ?? "[]") as readonly { readonly Plan?: { readonly "Plan Rows"?: number } }[];
  const estimate = plan?.Plan?.["Plan Rows"];
  if (typeof estimate !== "number") throw new Error("the execution plan has no estimate");
  return Math.round(estimate);
}
