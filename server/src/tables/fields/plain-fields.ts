import { type BoundedField, FIELD_BOUNDS } from "@swarmbase/sdk";
import { type Bounds, FINE, type Field, fault, field } from "./field.ts";

export const INTEGER_MAX = 2_147_483_647;
/** The largest double that a bigint holds. */
export const BIGINT_MAX = 2 ** 63 - 1024;
/** The largest cost in US dollars: of numeric(18, 9), as far as a double tells it apart from the next whole number. */
export const COST_MAX_USD = 999_999_999.999999;

const WHOLE_NUMBER = /^\s*[+-]?\d+\s*$/;
const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$/;
const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ["t", true],
  ["true", true],
  ["f", false],
  ["false", false],
]);

export function integer(bounds: Bounds | BoundedField): Field {
  const { min, max } = typeof bounds === "string" ? FIELD_BOUNDS[bounds] : bounds;
  return field(
    (value) => {
      if (!Number.isInteger(value)) return fault("must be an integer");
      return isBetween(value as number, min, max) ? FINE : fault(describeRange(value as number, min, max));
    },
    (text) => (WHOLE_NUMBER.test(text) ? Number(text) : text),
  );
}

export function number({ min, max }: Bounds): Field {
  return field(
    (value) => {
      if (typeof value !== "number") return fault("must be a number");
      return isBetween(value, min, max) ? FINE : fault(describeRange(value, min, max));
    },
    (text) => (DECIMAL.test(text) ? Number(text) : text),
  );
}

export function boolean(): Field {
  return field(
    (value) => (typeof value === "boolean" ? FINE : fault("must be true or false")),
    (text) => TRUTHS.get(text.trim().toLowerCase()) ?? text,
  );
}

/** Only the database knows which texts are valid times. */
export function timestamp(): Field {
  return field((value) => (typeof value === "string" ? FINE : fault("must be a timestamp")));
}

export function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

/** Names an upper bound that only the type of the column sets, which few callers know, just where the value exceeds it. */
export function describeRange(value: number, min: number, max: number): string {
  if (max < INTEGER_MAX) return `must be between ${min} and ${max}`;
  return value > max ? `must be at most ${BigInt(max)}` : `must be at least ${min}`;
}
