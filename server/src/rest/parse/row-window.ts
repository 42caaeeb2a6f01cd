import type { AppError } from "../../errors/index.ts";
import { restError } from "../rest-error.ts";

/** Rows from `offset` on, at most `limit` of them. */
export interface RowWindow {
  readonly offset: number;
  readonly limit: number | null;
}

const RANGE = /^([0-9]+)-([0-9]*)$/;
const INTEGER = /^ *-?[0-9]+ *$/;

/** The value of `limit` or `offset`; null when it is not an integer, which is ignored. */
export function parseCount(text: string): number | null {
  if (!INTEGER.test(text)) return null;
  const count = Number(text);
  return Math.max(Math.min(count, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER) + 0;
}

export function checkLimit(limit: number | null): number | null {
  if (limit !== null && limit < 0) throw rangeError("Limit should be greater than or equal to zero.");
  return limit;
}

/** A Range header of another unit (`bytes=0-9`) is ignored. */
export function parseRange(header: string | undefined): RowWindow | null {
  const found = RANGE.exec(header?.trim() ?? "");
  if (found === null) return null;
  const first = clamp(Number(found[1]));
  if (found[2] === "") return { offset: first, limit: null };
  const last = clamp(Number(found[2]));
  if (first > last) {
    throw rangeError("The lower boundary must be lower than or equal to the upper boundary in the Range header.");
  }
  return { offset: first, limit: last - first + 1 };
}

/** The intersection of two windows. */
export function intersectWindows(left: RowWindow, right: RowWindow): RowWindow {
  const offset = Math.max(left.offset, right.offset);
  const end = Math.min(endOf(left), endOf(right));
  if (end === Number.POSITIVE_INFINITY) return { offset, limit: null };
  // An explicit limit of zero returns no rows.
  if (left.limit === 0 || right.limit === 0) return { offset, limit: 0 };
  if (end <= offset) throw rangeError("The Range header has no row in common with limit and offset.");
  return { offset, limit: end - offset };
}

function endOf({ offset, limit }: RowWindow): number {
  return limit === null ? Number.POSITIVE_INFINITY : offset + limit;
}

function clamp(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER - 1);
}

function rangeError(details: string): AppError {
  return restError("PGRST103", "Requested range not satisfiable", { details });
}
