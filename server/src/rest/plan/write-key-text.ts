import type { Column } from "../catalogue/catalogue.ts";
import type { JsonObject, JsonValue, RowsBody } from "../parse/parsed-request.ts";

const INTEGER = /^\s*[+-]?[0-9]+\s*$/;
const UUID = /^\{?(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}\}?$/i;
/** Types whose values are equal exactly when their texts are. */
const PLAIN_TEXTS: ReadonlySet<string> = new Set(["text", "character varying"]);

/** The normalised text of a key value. */
export interface KeyText {
  readonly text: string;
  /** Different texts are different values; otherwise only the database can compare. */
  readonly isExact: boolean;
}

export function readKeyText({ type }: Column, value: JsonValue): KeyText {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (type.category === "number" && INTEGER.test(text)) {
    return { text: BigInt(text.trim().replace("+", "")).toString(), isExact: true };
  }
  if (type.category === "uuid" && UUID.test(text)) {
    return { text: text.replace(/[{}-]/g, "").toLowerCase(), isExact: true };
  }
  return { text, isExact: PLAIN_TEXTS.has(type.label) };
}

/** Rows whose keys keep digits that JavaScript numbers lose. */
export function readExactRows({ text, rows }: RowsBody, key: readonly Column[]): readonly JsonObject[] {
  const isLossy = rows.some((row) =>
    key.some(({ name }) => isLossyNumber(Object.hasOwn(row, name) ? row[name] : null)),
  );
  if (!isLossy) return rows;
  const exact = JSON.parse(text, (_name, value: JsonValue, context?: { readonly source?: string }) =>
    isLossyNumber(value) ? (context?.source ?? value) : value,
  ) as JsonObject | JsonObject[];
  return Array.isArray(exact) ? exact : [exact];
}

function isLossyNumber(value: JsonValue | undefined): boolean {
  return typeof value === "number" && !Number.isSafeInteger(value);
}
