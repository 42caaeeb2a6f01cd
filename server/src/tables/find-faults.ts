import type { WriteAttempt } from "../rest/index.ts";
import type { Fault, Field, NamedFault, Row, Value } from "./fields/field.ts";
import { canonicalUuid } from "./fields/uuid-field.ts";
import type { TableRule } from "./rules/table-rule.ts";
import type { WrittenRows } from "./written-rows.ts";

export interface PlacedFault {
  /** Separated by dots: the index in an array, the field, the key in it. */
  readonly place: string;
  readonly message: string;
  readonly code: NamedFault | null;
}

/** Bounds the response to a body with many invalid rows. */
const MAX_FAULTS = 1000;

export interface Writing {
  readonly rule: TableRule;
  readonly attempt: WriteAttempt;
  readonly written: WrittenRows;
}

export function findFaults(writing: Writing): readonly PlacedFault[] {
  const { attempt, written } = writing;
  const faults: PlacedFault[] = written.repeated.map((column) => ({
    place: column,
    message: "and its other name cannot be sent together",
    code: null,
  }));
  for (const [index, row] of written.rows.entries()) {
    const prefix = attempt.isArray ? `${index}.` : "";
    for (const { field, path, message, code } of findRowFaults(writing, row)) {
      const name = written.sentAs.get(field) ?? field;
      faults.push({ place: `${prefix}${name}${path === "" ? "" : `.${path}`}`, message, code });
    }
    if (faults.length >= MAX_FAULTS) break;
  }
  return faults;
}

type RowFaults = (Fault & { readonly field: string })[];

function findRowFaults(writing: Writing, row: Row): RowFaults {
  const { rule, attempt, written } = writing;
  const isNew = attempt.operation !== "update";
  const faults: RowFaults = [];
  const missing = isNew ? findMissing(writing, row) : [];
  for (const field of missing) faults.push({ field, path: "", message: "is required", code: null });
  for (const column of written.columns) {
    const field = Object.hasOwn(rule.fields, column) ? rule.fields[column] : undefined;
    const value = valueOf(row, column);
    if (field === undefined || value === undefined || missing.includes(column)) continue;
    for (const found of checkField(writing, field, value)) faults.push({ ...found, field: column });
  }
  // On a conflict the existing row counts, which only the database sees.
  if (attempt.operation === "insert") faults.push(...rule.checkNewRow(row));
  if (!isNew && hasOtherId(attempt, row))
    faults.push({ field: "id", path: "", message: "cannot be changed", code: null });
  return faults;
}

function findMissing({ rule, attempt, written }: Writing, row: Row): string[] {
  const required =
    attempt.principal.role === "service_role" ? [...rule.required, ...rule.requiredOfService] : rule.required;
  return required.filter((column) => !written.columns.includes(column) || (valueOf(row, column) ?? null) === null);
}

function checkField({ attempt }: Writing, field: Field, sent: Value): readonly Fault[] {
  const value = attempt.source !== "json" && typeof sent === "string" ? field.readText(sent) : sent;
  if (value === undefined) return [];
  if (value !== null) return field.check(value);
  const isAllowed = field.nulls === "always" || (field.nulls === "on create" && attempt.operation !== "update");
  return isAllowed ? [] : [{ path: "", message: "must not be null", code: null }];
}

/** Without a pinned id, the id in the body selects the row or the database compares it. */
function hasOtherId({ pinnedId, isArray, columns }: WriteAttempt, row: Row): boolean {
  if (pinnedId === null || isArray || !columns.includes("id")) return false;
  const value = valueOf(row, "id");
  if (typeof value !== "string") return false;
  const id = canonicalUuid(value);
  return id !== null && id !== canonicalUuid(pinnedId);
}

function valueOf(row: Row, column: string): Value | undefined {
  return Object.hasOwn(row, column) ? row[column] : undefined;
}
