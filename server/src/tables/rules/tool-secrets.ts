import type { RewrittenRows, WriteAttempt } from "../../rest/index.ts";
import { faultsError } from "../faults-error.ts";
import { type Fault, FINE, type Field, fault, field, type Row, type Value, valueOf } from "../fields/field.ts";
import { canonicalUuid } from "../fields/uuid-field.ts";

export interface Sealer {
  newId(): string;
  /** The value of the column `secret_names`. */
  sealSecrets(toolId: string, secrets: Readonly<Record<string, string>>): string[];
}

const COLUMN = "secret_names";
const MAX_SECRETS = 20;
const MAX_VALUE_LENGTH = 4096;
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Printable characters of a header, where most secrets are sent. */
const VALUE = /^[\x20-\x7e]+$/;

/** Written as `secrets`, an object of names and values. No message repeats a value. */
export function toolSecrets(): Field {
  return field((value) => {
    if (typeof value !== "object" || Array.isArray(value)) return fault("must be an object of names and values");
    const entries = Object.entries(value);
    if (entries.length > MAX_SECRETS) return fault(`must have at most ${MAX_SECRETS} entries`);
    return entries.flatMap(([name, secret]) => checkSecret(name, secret));
  });
}

function checkSecret(name: string, secret: Value): readonly Fault[] {
  if (!NAME.test(name)) return fault("has a name that is not made of letters, digits, _ and -");
  const isFit = typeof secret === "string" && secret.length <= MAX_VALUE_LENGTH && VALUE.test(secret);
  return isFit
    ? FINE
    : [{ path: name, message: `must be 1 to ${MAX_VALUE_LENGTH} characters of printable ASCII`, code: null }];
}

/** Encrypts the secrets of each row for its id, so that neither a statement nor the log of the database contains them. */
export function rewriteSecrets(
  written: RewrittenRows,
  attempt: WriteAttempt,
  sealer: Sealer | null,
): RewrittenRows | null {
  if (!written.columns.includes(COLUMN)) return dropUnrequested(written);
  const isNew = attempt.operation === "insert";
  if (sealer === null) throw rejection("cannot be kept here", attempt);
  if (attempt.operation === "upsert") throw rejection("cannot be sent with an upsert", attempt);
  if (attempt.source !== "json") throw rejection("can be sent as JSON only", attempt);
  const rows = written.rows.map((row, index) => sealRow(row, attempt.isArray ? `${index}.` : "", { attempt, sealer }));
  return { rows, columns: isNew && !written.columns.includes("id") ? [...written.columns, "id"] : written.columns };
}

/** Removes secrets that were sent but are not among the columns to write. */
function dropUnrequested({ rows, columns }: RewrittenRows): RewrittenRows | null {
  if (!rows.some((row) => Object.hasOwn(row, "secrets"))) return null;
  const kept = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== "secrets")));
  return { rows: kept, columns };
}

function sealRow(row: Row, place: string, { attempt, sealer }: { attempt: WriteAttempt; sealer: Sealer }): Row {
  const isNew = attempt.operation === "insert";
  const named = isNew || attempt.isArray ? valueOf(row, "id") : attempt.pinnedId;
  const id = canonicalUuid(named) ?? (isNew ? sealer.newId() : null);
  if (id === null) {
    const message = "can be changed of one tool at a time, named by the filter id=eq.<id>";
    throw rejection(message, attempt, place);
  }
  const secrets = valueOf(row, COLUMN);
  const entries = Object.entries(row).filter(
    ([name]) => name !== COLUMN && name !== "secrets" && !(isNew && name === "id"),
  );
  if (isNew) entries.push(["id", id]);
  // A row of a list without `secrets` keeps the stored ones.
  if (secrets !== undefined)
    entries.push([COLUMN, sealer.sealSecrets(id, (secrets ?? {}) as Readonly<Record<string, string>>)]);
  return Object.fromEntries(entries);
}

function rejection(message: string, { operation }: WriteAttempt, row = ""): Error {
  return faultsError([{ place: `${row}secrets`, message, code: null }], operation);
}
