import type { ErrorCode } from "@swarmbase/sdk";
import type { WriteAttempt } from "../../rest/index.ts";

export type Row = WriteAttempt["rows"][number];
export type Value = Row[string];
export type PresentValue = Exclude<Value, null>;

/** Codes for faults of a single value. */
export type NamedFault = Extract<ErrorCode, "INVALID_FRAMEWORK" | "INVALID_URL" | "INVALID_EVENTS">;

export interface Fault {
  /** The key below the field, empty for the field itself. */
  readonly path: string;
  /** Follows the name of the field. */
  readonly message: string;
  readonly code: NamedFault | null;
}

export interface Field {
  /** `on create`: the database fills it in. */
  readonly nulls: "always" | "never" | "on create";
  check(value: PresentValue): readonly Fault[];
  /** Converts a text of a CSV or form body. Undefined means that only the database can. */
  readText(text: string): Value | undefined;
}

/** Both ends included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export const FINE: readonly Fault[] = [];

export function fault(message: string, code: NamedFault | null = null): readonly Fault[] {
  return [{ path: "", message, code }];
}

export function field(check: Field["check"], readText: Field["readText"] = (text) => text): Field {
  return { nulls: "never", check, readText };
}

export function nullable(inner: Field): Field {
  return { ...inner, nulls: "always" };
}

export function filledIn(inner: Field): Field {
  return { ...inner, nulls: "on create" };
}

export function valueOf(row: Row, column: string): Value | undefined {
  return Object.hasOwn(row, column) ? row[column] : undefined;
}
