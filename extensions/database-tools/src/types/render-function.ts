import type { Column, FunctionEntry } from "swarmbase/extension";
import {
  indent,
  type QualifiedName,
  renderMembers,
  renderProperty,
  renderType,
  type TypeNames,
} from "./render-type.ts";

export interface FunctionNames extends TypeNames {
  /** PostgreSQL says of no column that a function returns whether it may be null. */
  isReturnedNullable(functionName: string, column: string): boolean;
}

/** What follows the name and the colon: the type of a function, or the union of those with one name. */
export function renderFunction(overloads: readonly FunctionEntry[], names: FunctionNames): string {
  const forms = overloads.map((entry) => renderForm(entry, names)).toSorted();
  const [only = ""] = forms;
  return forms.length === 1 ? ` ${only}` : forms.map((form) => `\n  | ${indent(form, 4)}`).join("");
}

/** Of the first overload that has one. */
export function commentOf(overloads: readonly FunctionEntry[]): string | null {
  return overloads.find(({ comment }) => comment !== null)?.comment ?? null;
}

function renderForm(entry: FunctionEntry, names: FunctionNames): string {
  const { returns } = entry;
  const target = returns.rowOf === null ? null : names.rowOf(returns.rowOf);
  const from = findRowParameter(entry);
  const isToOne = returns.isSet ? entry.rows === 1 : true;
  const isComputed = from !== null && target !== null;
  const options =
    returns.rowOf === null || target === null || (!isComputed && !returns.isSet)
      ? []
      : [
          `SetofOptions: { from: ${JSON.stringify(from?.name ?? "*")}; to: ${JSON.stringify(returns.rowOf.name)}; ` +
            `isOneToOne: ${isComputed && isToOne}; isSetofReturn: ${returns.isSet} }`,
        ];
  const row = target ?? renderResult(entry, names);
  const returned =
    returns.isSet && !(isComputed && isToOne)
      ? `${row.includes(" | ") && !row.startsWith("{") ? `(${row})` : row}[]`
      : row;
  return renderMembers([`Args: ${renderArguments(entry, names)}`, `Returns: ${returned}`, ...options]);
}

/** The table of a function whose only parameter is a row: a computed field or relationship. */
function findRowParameter({ parameters }: FunctionEntry): QualifiedName | null {
  return parameters.length === 1 ? (parameters[0]?.type.rowOf ?? null) : null;
}

function renderResult({ name, returns }: FunctionEntry, names: FunctionNames): string {
  if (returns.columns === null) return renderType(returns.type, names);
  const columns = [...returns.columns.values()];
  return renderMembers(columns.map((column) => renderReturned(name, column, names)));
}

function renderReturned(functionName: string, { name, type }: Column, names: FunctionNames): string {
  const isNullable = names.isReturnedNullable(functionName, name);
  return `${renderProperty(name)}: ${renderType(type, names)}${isNullable ? " | null" : ""}`;
}

function renderArguments({ parameters, unnamedBody }: FunctionEntry, names: FunctionNames): string {
  if (parameters.length === 0) return "Record<PropertyKey, never>";
  if (unnamedBody !== null) return `{ "": ${renderType(parameters[0]?.type as Column["type"], names)} }`;
  const members = parameters.map(
    ({ name, type, isRequired }) => `${renderProperty(name)}${isRequired ? "" : "?"}: ${renderType(type, names)}`,
  );
  return `{ ${members.join("; ")} }`;
}
