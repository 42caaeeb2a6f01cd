import type { ErrorCode } from "@swarmbase/sdk";
import type { WriteAttempt } from "../../rest/index.ts";

export type Row = WriteAttempt["rows"][number];
export type Value = Row[string];
export type PresentValue = Exclude<Value, null>;

/** Codes that a single value can earn. */
export type NamedFault = Extract<ErrorCode, "INVALID_FRAMEWORK" | "INVALID_URL" | "INVALID_EVENTS">;

export interface Fault {
  /** The key below the field, empty for the field itself. */
  readonly path: string;
  /** Goes on after the field's name. */
  readonly message: string;
  readonly code: NamedFault | null;
}

export interface Field {
  /** `on create`: the database fills it in. */
  readonly nulls: "always" | "never" | "on create";
  check(value: PresentValue): readonly Fault[];
  /** What a text of a CSV file or a form stands for. Undefined: only the database can tell. */
  readText(text: string): Value | undefined;
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
