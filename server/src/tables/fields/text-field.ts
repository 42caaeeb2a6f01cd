import { FIELD_BOUNDS, type BoundedField } from "@swarmbase/sdk";
import { type Bounds, type Fault, FINE, type Field, fault, field } from "./field.ts";

/** Lengths are counted in code points, as the database does. */
export function text(bounds: Bounds | BoundedField, more: (text: string) => readonly Fault[] = () => FINE): Field {
  const { min, max } = typeof bounds === "string" ? FIELD_BOUNDS[bounds] : bounds;
  return field((value) => {
    if (typeof value !== "string") return fault("must be a string");
    const unstorable = findUnstorableText(value);
    if (unstorable !== null) return fault(unstorable);
    if (!hasLengthBetween(value, min, max)) return fault(describeBounds(min, max));
    return more(value);
  });
}

/** Trimmed before it is stored and measured. */
export function trimmedText(bounds: BoundedField): Field {
  const inner = text(bounds);
  return { ...inner, check: (value) => inner.check(typeof value === "string" ? value.trim() : value) };
}

export function anyText(): Field {
  return text({ min: 0, max: Number.POSITIVE_INFINITY });
}

export function httpUrl(bounds: BoundedField): Field {
  return text(bounds, (value) => (/^https?:\/\/[^/?#\s]/i.test(value) ? FINE : fault("must be an http or https URL")));
}

export function choice(allowed: readonly string[], reject: (message: string) => readonly Fault[] = fault): Field {
  return field((value) => {
    if (typeof value !== "string") return fault("must be a string");
    return allowed.includes(value) ? FINE : reject(`must be one of ${allowed.join(", ")}`);
  });
}

/** Characters that PostgreSQL texts cannot contain. */
export function findUnstorableText(value: string): string | null {
  if (value.includes("\0")) return "must not contain the character U+0000";
  return value.isWellFormed() ? null : "must be well-formed Unicode";
}

function hasLengthBetween(value: string, min: number, max: number): boolean {
  // A code point takes one or two units, so most texts need no counting.
  if (value.length <= max && value.length >= 2 * min) return true;
  if (value.length > 2 * max) return false;
  const length = Array.from(value).length;
  return length >= min && length <= max;
}

function describeBounds(min: number, max: number): string {
  if (min === 0) return `must have at most ${max} characters`;
  return `must have ${min} to ${max} characters`;
}
