import type { AppError } from "../../errors/index.ts";
import type { Column } from "../catalogue/catalogue.ts";
import type { JsonObject, JsonValue, ParsedRequest, RowsBody } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import type { WritePlan } from "./plan.ts";

const INTEGER = /^\s*[+-]?[0-9]+\s*$/;

const UUID = /^\{?(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}\}?$/i;

/** Types whose values are equal exactly when their texts are. */
const PLAIN_TEXTS: ReadonlySet<string> = new Set(["text", "character varying"]);

/** Validates the values of a body. The plan is shared by requests, so this runs for each of them. */
export function checkWrite({ query, body }: ParsedRequest, { write }: WritePlan): void {
  if (body.kind !== "rows") return;
  if (write.kind === "insert" && write.putKey !== null) {
    const sent = new Map<string, string>();
    for (const condition of query.root.conditions) {
      if (condition.kind === "filter") sent.set(condition.field.name, String(condition.operation.value));
    }
    const key = write.putKey.map(({ column }) => column);
    checkPut(body, key, sent);
  }
  if (write.kind === "update" && write.matchOn !== null) {
    const { matchOn, rows } = write;
    const key = rows.columns.filter(({ name }) => matchOn.includes(name));
    checkList(body, key);
  }
}

/** Compares texts where different texts are different values; elsewhere the statement compares the values. */
function checkPut(body: RowsBody, key: readonly Column[], sent: ReadonlyMap<string, string>): void {
  const [row, ...others] = readExactRows(body, key);
  if (row === undefined || others.length > 0) throw putMismatchError();
  for (const column of key) {
    const value = valueOf(row, column.name);
    if (value === null) throw putMismatchError();
    const given = readKeyText(column, value);
    const filtered = readKeyText(column, sent.get(column.name) ?? "");
    if (given.isExact && filtered.isExact && given.text !== filtered.text) throw putMismatchError();
  }
}

/** Each row of a list must contain the primary key, and no two rows the same one. */
function checkList(body: RowsBody, key: readonly Column[]): void {
  const seen = new Map<string, number>();
  for (const [index, row] of readExactRows(body, key).entries()) {
    const texts = key.map((column) => {
      const value = valueOf(row, column.name);
      if (value === null) throw listError(`Row ${index} has no '${column.name}'`, key);
      return readKeyText(column, value).text;
    });
    const id = JSON.stringify(texts);
    const earlier = seen.get(id);
    if (earlier !== undefined) throw listError(`Rows ${earlier} and ${index} change the same row`, key);
    seen.set(id, index);
  }
}

function valueOf(row: JsonObject, name: string) {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}

/** The error for keys that only the statement could compare: different ones of a PUT, or equal ones of two rows in a list. */
export function describeMismatch({ method, body }: ParsedRequest): AppError | null {
  if (method === "PUT") return putMismatchError();
  const isList = method === "PATCH" && body.kind === "rows" && body.isArray;
  return isList ? restError("PGRST102", "Two rows of the list change the same row") : null;
}

function putMismatchError(): AppError {
  return restError("PGRST115", "Payload values do not match URL in primary key column(s)");
}

function listError(message: string, key: readonly Column[]): AppError {
  const names = key.map(({ name }) => `'${name}'`).join(", ");
  return restError("PGRST102", message, {
    details: `Each row of a list that updates is found by its primary key (${names}).`,
  });
}

/** The normalised text of a key value. */
interface KeyText {
  readonly text: string;
  /** Different texts are different values; otherwise only the database can compare. */
  readonly isExact: boolean;
}

function readKeyText({ type }: Column, value: JsonValue): KeyText {
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
function readExactRows({ text, rows }: RowsBody, key: readonly Column[]): readonly JsonObject[] {
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
