import type { AppError } from "../../errors/index.ts";
import { restError } from "../rest-error.ts";

/** `first-last/total`, with `*` for no rows or an unknown total. */
export function formatContentRange(offset: number, rows: number, total: number | null): string {
  const range = rows > 0 && total !== 0 ? `${offset}-${offset + rows - 1}` : "*";
  return `${range}/${total ?? "*"}`;
}

export interface ShownWindow {
  readonly offset: number;
  readonly rows: number;
  readonly total: number | null;
  /** The row cap cut off requested rows. */
  readonly isCut: boolean;
}

/** 206 when rows are known to be missing. Throws for a window beyond the last row. */
export function decideWindowStatus({ offset, rows, total, isCut }: ShownWindow): 200 | 206 {
  if (total !== null && rows === 0 && offset > total) throw rangeError(offset, total);
  return isCut || (total !== null && rows < total) ? 206 : 200;
}

function rangeError(offset: number, total: number): AppError {
  return restError("PGRST103", "Requested range not satisfiable", {
    details: `An offset of ${offset} was requested, but there are only ${total} rows.`,
    headers: { "content-range": `*/${total}` },
  });
}
