import {
  AGENT_SETTINGS,
  type BoundedField,
  type BoundedTextList,
  FIELD_BOUNDS,
  isAppEventType,
  isEventType,
  type Json,
} from "@swarmbase/sdk";
import { isObject, type Path } from "./json.ts";
import { findReferences, hasBrokenReference } from "./references.ts";

export interface ValueFault {
  readonly path: Path;
  /** Follows the path: `must be a string`. */
  readonly message: string;
}

export type Check = (value: Json) => readonly ValueFault[];

export const FINE: readonly ValueFault[] = [];

export function fault(message: string, path: Path = []): readonly ValueFault[] {
  return [{ path, message }];
}

/** Below a member: its path precedes that of the fault. */
export function within(name: string | number, faults: readonly ValueFault[]): readonly ValueFault[] {
  return faults.map(({ path, message }) => ({ path: [name, ...path], message }));
}

/** A text with references is measured by the service, which sees its value. */
export function text(field: BoundedField | null, more: Check = () => FINE): Check {
  return (value) => {
    if (typeof value !== "string") return fault("must be a string; put it in quotes if it looks like a number");
    if (findReferences(value).length > 0) return FINE;
    const { min, max } = field === null ? { min: 0, max: Number.POSITIVE_INFINITY } : FIELD_BOUNDS[field];
    const length = Array.from(value).length;
    if (length < min || length > max) return fault(`must have ${min} to ${max} characters, not ${length}`);
    return more(value);
  };
}

/** As the service stores names and starter questions. */
export function trimText(value: Json): Json {
  return typeof value === "string" ? value.trim() : value;
}

export function textList(field: BoundedTextList): Check {
  const { maxItems } = FIELD_BOUNDS[field];
  const item = text(field);
  return (value) =>
    Array.isArray(value) && value.length <= maxItems
      ? value.flatMap((entry, index) => within(index, item(trimText(entry))))
      : fault(`must be a list of at most ${maxItems} strings`);
}

export const texts: Check = (value) =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string") ? FINE : fault("must be a list of strings");

export function pattern(expression: RegExp, message: string): Check {
  return (value) => (typeof value === "string" && expression.test(value) ? FINE : fault(message));
}

export function choice(allowed: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && (allowed.includes(value) || findReferences(value).length > 0)
      ? FINE
      : fault(`must be one of ${allowed.join(", ")}`);
}

export const boolean: Check = (value) => (typeof value === "boolean" ? FINE : fault("must be true or false"));

export const time: Check = (value) =>
  value === null || (typeof value === "string" && !Number.isNaN(Date.parse(value)))
    ? FINE
    : fault("must be a time such as 2027-01-31T00:00:00Z");

/** The service checks the bounds. */
export const number: Check = (value) => (typeof value === "number" ? FINE : fault("must be a number"));

export function integer(field: BoundedField): Check {
  const { min, max } = FIELD_BOUNDS[field];
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? FINE
      : fault(`must be an integer from ${min} to ${max}`);
}

export function jsonObject(field: BoundedField, more: Check = () => FINE): Check {
  return (value) => {
    if (!isObject(value)) return fault("must be a mapping");
    const bytes = Buffer.byteLength(JSON.stringify(value));
    const { max } = FIELD_BOUNDS[field];
    return bytes > max ? fault(`must have at most ${max} bytes as JSON, not ${bytes}`) : more(value);
  };
}

export const TOO_DEEP = "is nested too deeply";
const MAX_DEPTH = 64;

/** What no field takes: references that cannot be read, numbers that JSON does not have, and depths that no reader follows. */
export function anyValue(value: Json, depth = 0): readonly ValueFault[] {
  if (depth > MAX_DEPTH) return fault(TOO_DEEP);
  if (typeof value === "string")
    return hasBrokenReference(value)
      ? fault(`has a reference that is not of the form $\{env:NAME}; write $$\{env: for the text itself`)
      : FINE;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return fault("must be a finite number");
    const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
    return isExact ? FINE : fault("is a number that cannot be kept exactly; put it in quotes");
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => within(index, anyValue(item, depth + 1)));
  if (!isObject(value)) return FINE;
  return Object.entries(value).flatMap(([name, member]) => within(name, anyValue(member ?? null, depth + 1)));
}

export const events: Check = (value) => {
  if (!Array.isArray(value) || value.length === 0) return fault("must be a list of at least one event type");
  return value.flatMap((event, index) =>
    isEventType(event) || isAppEventType(event) ? FINE : fault("is not an event type", [index]),
  );
};

/** Known keys only; the service keeps others as they are. */
export const agentSettings: Check = (settings) =>
  Object.entries(AGENT_SETTINGS).flatMap(([name, row]) => {
    const value = isObject(settings) && Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (value === undefined) return FINE;
    if (row.kind === "text list") {
      const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
      return value === null || (isList && value.length <= row.maxItems)
        ? FINE
        : fault(`must be a list of at most ${row.maxItems} strings`, [name]);
    }
    if (row.kind === "json schema") {
      const isFit = value === null || (isObject(value) && JSON.stringify(value).length <= row.maxBytes);
      return isFit ? FINE : fault(`must be a JSON Schema of at most ${row.maxBytes} bytes`, [name]);
    }
    const max = row.max ?? Number.MAX_SAFE_INTEGER;
    const isFit = typeof value === "number" && (row.kind === "number" || Number.isInteger(value));
    if (isFit && value >= row.min && value <= max) return FINE;
    return fault(`must be ${row.kind === "integer" ? "an integer" : "a number"} from ${row.min} to ${max}`, [name]);
  });
