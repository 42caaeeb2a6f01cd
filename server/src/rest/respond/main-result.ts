import type { MainRow } from "../read-results.ts";

/** The row of a main statement, with parsed numbers. */
export interface MainResult {
  readonly body: string | null;
  readonly rows: number;
  readonly total: number | null;
  readonly isCut: boolean;
  readonly status: string | null;
  readonly headers: string | null;
  readonly location: string | null;
  readonly inserted: number | null;
}

export function readMainResult(row: MainRow): MainResult {
  const { body, status, headers, location } = row;
  return {
    body,
    rows: Number(row.rows),
    total: toCount(row.total),
    isCut: row.isCut === "t",
    status,
    headers,
    location,
    inserted: toCount(row.inserted),
  };
}

function toCount(text: string | null): number | null {
  return text === null ? null : Number(text);
}
