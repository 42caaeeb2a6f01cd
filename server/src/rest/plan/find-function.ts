import type { AppError } from "../../errors/index.ts";
import type { Catalogue, FunctionEntry, QualifiedName, SchemaEntry } from "../catalogue/catalogue.ts";
import { nearestNames } from "../catalogue/nearest-names.ts";
import type { ParsedRequest } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import { type CallInput, readCallInput } from "./call-input.ts";

/** As in PostgREST: less than for names, because whoever names the function may know its parameters. */
const MIN_LIST_SCORE = 0.33;

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

function missingFunctionError(wanted: QualifiedName, input: CallInput, schema: SchemaEntry | null): AppError {
  const name = `${wanted.schema}.${wanted.name}`;
  if (input.names === null) {
    return restError("PGRST202", `Could not find the function ${name} in the schema cache`, {
      details: describeSearch(name, ` with a single unnamed ${input.unnamed.join("/")} parameter`),
    });
  }
  const names = [...input.names].sort();
  const list = names.join(", ");
  const shown = names.length === 0 ? " without parameters" : `(${list})`;
  const byName = names.length === 0 ? " without parameters" : ` with parameter${names.length > 1 ? "s" : ""} ${list}`;
  const byBody = input.unnamed.length === 0 ? "" : ` or with a single unnamed ${input.unnamed.join("/")} parameter`;
  const nearest = schema === null ? null : findNearest(schema, wanted.name, names);
  return restError("PGRST202", `Could not find the function ${name}${shown} in the schema cache`, {
    details: describeSearch(name, byName + byBody),
    hint: nearest === null ? null : `Perhaps you meant to call the function ${wanted.schema}.${nearest}`,
  });
}

function ambiguousFunctionError(candidates: readonly FunctionEntry[]): AppError {
  const list = candidates.toSorted(compareOverloads).map(({ schema, name, parameters }) => {
    const types = parameters.map((parameter) => `${parameter.name} => ${parameter.type.name}`);
    return `${schema}.${name}(${types.join(", ")})`;
  });
  return restError("PGRST203", `Could not choose the best candidate function between: ${list.join(", ")}`, {
    hint: "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
  });
}

/** The order of PostgREST: the fewest parameters first, then by comment, then by names and types. */
function compareOverloads(one: FunctionEntry, other: FunctionEntry): number {
  const count = one.parameters.length - other.parameters.length;
  return count || compareTexts(one.comment ?? "", other.comment ?? "") || compareParameters(one, other);
}

function compareParameters({ parameters: some }: FunctionEntry, { parameters: others }: FunctionEntry): number {
  for (const [place, { name, type }] of some.entries()) {
    const other = others[place];
    const order = compareTexts(name, other?.name ?? "") || compareTexts(type.name, other?.type.name ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function describeSearch(name: string, how: string): string {
  return `Searched for the function ${name}${how}, but no matches were found in the schema cache.`;
}

/** An overload with other parameters, or else a function with a similar name. */
function findNearest({ functions }: SchemaEntry, name: string, given: readonly string[]): string | null {
  const overloads = functions.get(name);
  if (overloads === undefined) return nearestNames(name, functions.keys())[0] ?? null;
  // The list of an unnamed parameter reads as an empty one.
  const named = overloads.filter(({ unnamedBody }) => unnamedBody === null);
  const lists = named.map(({ parameters }) => parameters.map((parameter) => parameter.name).sort());
  // The brackets alone are no similarity.
  const written = given.some((each) => each !== "") ? listText(given) : "";
  const [byText] = nearestNames(written, lists.map(listText), { minScore: MIN_LIST_SCORE });
  if (byText !== undefined) return name + byText;
  const shared = lists.map((list) => ({ list, count: list.filter((each) => given.includes(each)).length }));
  const best = shared.reduce((one, other) => (other.count > one.count ? other : one), { list: [""], count: 0 });
  return best.count === 0 ? null : name + listText(best.list);
}

function listText(names: readonly string[]): string {
  return `(${names.join(", ")})`;
}
