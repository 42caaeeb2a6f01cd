import type { AppError } from "../../errors/index.ts";
import { restError } from "../rest-error.ts";

/** A single object was requested and there is not exactly one row. */
export function notSingleError(rows: number, cause?: Error): AppError {
  return restError("PGRST116", "Cannot coerce the result to a single JSON object", {
    details: `The result contains ${rows} rows`,
    ...(cause !== undefined && { cause }),
  });
}

export function maxAffectedError(rows: number): AppError {
  return restError("PGRST124", "Query result exceeds max-affected preference constraint", {
    details: `The query affects ${rows} rows`,
  });
}
