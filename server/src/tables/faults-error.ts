import { AppError } from "../errors/index.ts";
import type { WriteAttempt } from "../rest/index.ts";
import type { NamedFault } from "./fields/field.ts";

export interface PlacedFault {
  /** Separated by dots: the index in an array, the field, the key in it. */
  readonly place: string;
  readonly message: string;
  readonly code: NamedFault | null;
}

/** One error for all faults. It has a specific code only if every fault has one. */
export function faultsError(
  faults: readonly PlacedFault[],
  operation: WriteAttempt["operation"],
  isByCatalogue = false,
): AppError {
  const details = Object.fromEntries(faults.map(({ place, message }) => [place, message]));
  const message = describeFaults(faults);
  const code = faults.find((fault) => fault.code !== null)?.code ?? null;
  const isNew = operation !== "update";
  // The interface requires the validation body for an unknown framework of a new agent.
  const isNamed = faults.every((fault) => fault.code !== null && !(isNew && fault.code === "INVALID_FRAMEWORK"));
  if (isNamed && code !== null) return new AppError(code, message, { details });
  const errors = faults.flatMap(({ place, code: named }) => (named === null ? [] : [{ field: place, code: named }]));
  return new AppError("VALIDATION_ERROR", message, { details, isByCatalogue, ...(errors.length > 0 && { errors }) });
}

function describeFaults(faults: readonly PlacedFault[]): string {
  const [first] = faults;
  if (faults.length === 1 && first !== undefined) {
    // A whole sentence needs no field before it.
    return /^[A-Z]/.test(first.message) ? first.message : `${first.place} ${first.message}`;
  }
  return `${faults.length} fields are not valid`;
}
