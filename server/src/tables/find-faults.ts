import type { WriteAttempt } from "../rest/index.ts";
import type { PlacedFault } from "./faults-error.ts";
import { type Fault, FINE, type Field, fault, type Row, type Value, valueOf } from "./fields/field.ts";
import { canonicalUuid } from "./fields/uuid-field.ts";
import { type RowFault, rowFault, type TableRule } from "./rules/table-rule.ts";
import type { WrittenRows } from "./written-rows.ts";

/** Bounds the response to a body with many invalid rows. */
const MAX_FAULTS = 1000;

interface Writing {
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

function findRowFaults(writing: Writing, row: Row): readonly RowFault[] {
  const { rule, attempt, written } = writing;
  const isNew = attempt.operation !== "update";
  const faults: RowFault[] = [];
  const missing = isNew ? findMissing(writing, row) : [];
  for (const field of missing) faults.push(...rowFault(field, "is required"));
  for (const column of written.columns) {
    const field = Object.hasOwn(rule.fields, column) ? rule.fields[column] : undefined;
    const value = valueOf(row, column);
    if (field === undefined || value === undefined || missing.includes(column)) continue;
    for (const found of checkField(writing, field, value)) faults.push({ ...found, field: column });
  }
  // On a conflict the existing row counts, which only the database sees.
  if (attempt.operation === "insert") faults.push(...rule.checkNewRow(row));
  if (!isNew && hasOtherId(attempt, row)) faults.push(...rowFault("id", "cannot be changed"));
  return faults;
}

function findMissing({ rule, attempt, written }: Writing, row: Row): string[] {
  const required =
    attempt.principal.role === "service_role" ? [...rule.required, ...rule.requiredOfService] : rule.required;
  return required.filter((column) => !written.columns.includes(column) || (valueOf(row, column) ?? null) === null);
}

function checkField({ attempt }: Writing, field: Field, sent: Value): readonly Fault[] {
  const value = attempt.source !== "json" && typeof sent === "string" ? field.readText(sent) : sent;
  if (value === undefined) return FINE;
  if (value !== null) return field.check(value);
  const isAllowed = field.nulls === "always" || (field.nulls === "on create" && attempt.operation !== "update");
  return isAllowed ? FINE : fault("must not be null");
}

/** Without a pinned id, the id in the body selects the row or the database compares it. */
function hasOtherId({ pinnedId, isArray, columns }: WriteAttempt, row: Row): boolean {
  if (pinnedId === null || isArray || !columns.includes("id")) return false;
  const id = canonicalUuid(valueOf(row, "id"));
  return id !== null && id !== canonicalUuid(pinnedId);
}
