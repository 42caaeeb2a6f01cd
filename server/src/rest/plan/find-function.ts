import type { Catalogue, FunctionEntry } from "../catalogue/catalogue.ts";
import type { ParsedRequest } from "../parse/parsed-request.ts";
import { ambiguousFunctionError, missingFunctionError } from "./call-errors.ts";
import { type CallInput, readCallInput } from "./call-input.ts";

/** Finds the overload that accepts the request: by argument names first, then by the body as a whole. */
export function findFunction(catalogue: Catalogue, request: ParsedRequest): FunctionEntry {
  const name = request.target.kind === "rpc" ? request.target.name : "";
  const schema = catalogue.schemas.get(request.schema) ?? null;
  const input = readCallInput(request);
  const [only, ...others] = findCandidates(schema?.functions.get(name) ?? [], input);
  if (only === undefined) throw missingFunctionError({ schema: request.schema, name }, input, schema);
  if (others.length > 0) throw ambiguousFunctionError([only, ...others]);
  return only;
}

function findCandidates(overloads: readonly FunctionEntry[], input: CallInput): readonly FunctionEntry[] {
  const { names, doubtful, unnamed } = input;
  const byName = names === null ? [] : overloads.filter((entry) => takesNames(entry, names));
  const byBody = overloads.filter(({ unnamedBody }) => unnamedBody !== null && unnamed.includes(unnamedBody));
  const [first, second] = input.isWhole ? [byBody, byName] : [byName, byBody];
  if (first.length > 0) return first;
  if (second.length > 0 || names === null || doubtful.size === 0) return second;
  return overloads.filter((entry) => takesNames(entry, givenNames(entry, names, doubtful)));
}

/** Whether every name is a parameter and every required parameter is named. The name of an unnamed parameter is empty. */
export function takesNames({ parameters }: FunctionEntry, names: ReadonlySet<string>): boolean {
  let taken = 0;
  for (const { name, isRequired } of parameters) {
    if (names.has(name)) taken += 1;
    else if (isRequired) return false;
  }
  return taken === names.size;
}

function givenNames(
  { parameters }: FunctionEntry,
  names: ReadonlySet<string>,
  doubtful: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set([...names, ...parameters.map(({ name }) => name).filter((name) => doubtful.has(name))]);
}
