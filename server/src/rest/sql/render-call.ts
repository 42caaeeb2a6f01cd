import type { FunctionResult, Parameter } from "../catalogue/catalogue.ts";
import type { Call } from "../plan/plan.ts";
import { type Draft, type NodeFrame, ONLY_COLUMN, rowScopeOf } from "./draft.ts";
import { quoteIdentifier, quoteName } from "./quote.ts";

/** A call as the first part of a statement, so that it is executed once. */
interface RenderedCall {
  /** Everything after `with`. */
  readonly before: string;
  readonly frame: NodeFrame;
}

interface RenderedArguments {
  readonly list: string;
  /** Items of `from` that the list refers to, each followed by a comma. */
  readonly from: string;
}

export function renderCall(draft: Draft, { function: called, arguments: given }: Call): RenderedCall {
  const name = draft.alias(called.name);
  const { list, from } = renderArguments(draft, given, called);
  const call = `${quoteName(called)}(${list})`;
  const isRecord = isUnknownRecord(called.returns);
  const rows = isRecord
    ? `select pg_catalog.row_to_json(_.result) as ${ONLY_COLUMN} from ${from}lateral (select ${call} as result) _`
    : `select ${name}.* from ${from}${call} ${name}${renderColumnNames(called.returns)}`;
  const type = called.returns.rowOf;
  const scope = { ...rowScopeOf(name, type), isRecord };
  return { before: `${name} as (${rows})`, frame: { from: name, scope, joins: [], type, isSingle: false } };
}

/** Its columns are unknown before it has run. */
export function isUnknownRecord({ kind, columns }: FunctionResult): boolean {
  return kind === "composite" && columns === null;
}

function renderColumnNames({ kind, rowOf, columns }: FunctionResult): string {
  if (kind !== "composite") return `(${ONLY_COLUMN})`;
  if (rowOf !== null || columns === null) return "";
  return `(${[...columns.keys()].map(quoteIdentifier).join(",")})`;
}

function renderArguments(draft: Draft, given: Call["arguments"], called: Call["function"]): RenderedArguments {
  switch (given.kind) {
    case "none":
      return { list: "", from: "" };
    case "body":
      return { list: `${draft.parameter(given.body)}::${given.type}`, from: "" };
    case "named": {
      const list = given.values.map(({ parameter, value }) => ({
        parameter,
        value: `${draft.parameter(value)}::${parameter.type.name}`,
      }));
      return { list: renderNamed(list, called), from: "" };
    }
    case "json": {
      const alias = draft.alias("_arguments");
      const text = `${draft.parameter(given.text)}::json`;
      const [only] = given.parameters;
      if (only?.name === "") {
        // A column needs a name.
        const object = `pg_catalog.json_build_object('_',${text}->'')`;
        return { list: `${alias}._`, from: `pg_catalog.json_to_record(${object}) ${alias}(_ ${only.type.name}),` };
      }
      const definition = given.parameters.map(({ name, type }) => `${quoteIdentifier(name)} ${type.name}`).join(",");
      const list = given.parameters.map((parameter) => ({
        parameter,
        value: `${alias}.${quoteIdentifier(parameter.name)}`,
      }));
      return { list: renderNamed(list, called), from: `pg_catalog.json_to_record(${text}) ${alias}(${definition}),` };
    }
  }
}

interface GivenArgument {
  readonly parameter: Parameter;
  readonly value: string;
}

function renderNamed(given: readonly GivenArgument[], called: Call["function"]): string {
  if (isByPlace(given, called)) return given.map(({ value }) => value).join(",");
  return given
    .toSorted((one, other) => Number(one.parameter.isVariadic) - Number(other.parameter.isVariadic))
    .map(({ parameter, value }) => {
      const mark = parameter.isVariadic ? "variadic " : "";
      return `${mark}${quoteIdentifier(parameter.name)} := ${value}`;
    })
    .join(",");
}

/** PostgreSQL resolves neither an unnamed parameter nor, when the variadic parameter is omitted, named arguments. */
function isByPlace(
  given: readonly GivenArgument[],
  { hasVariadic, parameters, unnamedBody }: Call["function"],
): boolean {
  if (unnamedBody !== null) return true;
  if (!hasVariadic || given.some(({ parameter }) => parameter.isVariadic)) return false;
  return given.every(({ parameter }, place) => parameters[place]?.name === parameter.name);
}
