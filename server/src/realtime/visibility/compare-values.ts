import type { TypeForm } from "../feed/column-type.ts";

export type Compare = (left: string, right: string) => number;

/** How values of a type stand to each other, from the texts that PostgreSQL writes; null for the database to say. */
export function orderOf(form: TypeForm): Compare | null {
  switch (form.kind) {
    case "number":
      return compareDecimals;
    case "float":
      return compareFloats;
    case "timestamp":
    case "date":
      return (left, right) => compareKeys(toTimeKey(left), toTimeKey(right));
    case "boolean":
    case "uuid":
      return compareTexts;
    case "enum": {
      const places = new Map(form.labels.map((label, at) => [label, at]));
      return (left, right) => (places.get(left) ?? -1) - (places.get(right) ?? -1);
    }
    // What text comes first is for its collation to say, and of the rest we know nothing.
    case "text":
    case "json":
    case "array":
    case "composite":
    case "other":
      return null;
  }
}

/** Whether values are equal exactly when PostgreSQL writes them the same way. */
export function isEqualAsText(form: TypeForm): boolean {
  return ["boolean", "timestamp", "date", "uuid", "text", "enum"].includes(form.kind);
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareKeys<T extends number | bigint>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Exact, whatever the number of digits. Not a number is above all, as PostgreSQL has it. */
function compareDecimals(left: string, right: string): number {
  if (left === right) return 0;
  const [leftSize, rightSize] = [toOddSize(left), toOddSize(right)];
  if (leftSize !== rightSize) return leftSize - rightSize;
  if (leftSize !== 0) return 0;
  const scale = Math.max(countDecimals(left), countDecimals(right));
  return compareKeys(toScaled(left, scale), toScaled(right, scale));
}

function toOddSize(text: string): number {
  if (text === "NaN") return 2;
  if (text === "Infinity") return 1;
  return text === "-Infinity" ? -1 : 0;
}

function countDecimals(text: string): number {
  const point = text.indexOf(".");
  return point === -1 ? 0 : text.length - point - 1;
}

function toScaled(text: string, scale: number): bigint {
  return BigInt(text.replace(".", "") + "0".repeat(scale - countDecimals(text)));
}

/** Not a number equals itself and is above infinity, as PostgreSQL has it. */
function compareFloats(left: string, right: string): number {
  const [a, b] = [Number(left), Number(right)];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return compareKeys(a, b);
}

const TIME = /^(\d+)-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:\+00)?)?( BC)?$/;
const FAR = 2n ** 70n;

/** Microseconds in the calendar that PostgreSQL counts in. Both sides are written in UTC. */
function toTimeKey(text: string): bigint {
  const match = TIME.exec(text);
  if (match === null) return text.startsWith("-") ? -FAR : FAR;
  const [, years = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", bc] = match;
  const year = bc === undefined ? Number(years) : 1 - Number(years);
  const days = ((BigInt(year) * 12n + BigInt(month)) * 31n + BigInt(day)) * 86_400n;
  const seconds = days + BigInt(hour) * 3600n + BigInt(minute) * 60n + BigInt(second);
  return seconds * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
}
