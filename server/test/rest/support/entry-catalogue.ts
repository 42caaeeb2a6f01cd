import { NO_SETTINGS } from "../../../src/rest/catalogue/build-settings.ts";
import type {
  Catalogue,
  Column,
  DataType,
  FunctionEntry,
  FunctionResult,
  ForeignKeyRelationship,
  Parameter,
  Relation,
} from "../../../src/rest/catalogue/catalogue.ts";
import type { TypeCategory } from "../../../src/rest/catalogue/type-category.ts";

const CATEGORIES: Readonly<Record<string, TypeCategory>> = {
  text: "text",
  integer: "number",
  bigint: "number",
  numeric: "number",
  boolean: "boolean",
  tsvector: "tsvector",
  uuid: "uuid",
  json: "json",
  jsonb: "jsonb",
  bytea: "bytea",
  xml: "xml",
  void: "void",
  record: "composite",
  "timestamp with time zone": "datetime",
  "integer[]": "array",
  "text[]": "array",
};

export function type(name: string): DataType {
  const category = CATEGORIES[name] ?? "other";
  return { name, label: name, category, elementCategory: null, isDomain: false, enumValues: [], rowOf: null };
}

export function column(name: string, typeName: string, rest: Partial<Column> = {}): Column {
  return {
    name,
    type: type(typeName),
    declaredType: typeName,
    isNullable: true,
    hasDefault: false,
    default: null,
    identity: null,
    isGenerated: false,
    isWritable: true,
    maxLength: null,
    comment: null,
    ...rest,
  };
}

/** A table of the public schema from its columns and their types. */
export function table(
  name: string,
  columns: Readonly<Record<string, string>>,
  primaryKey: readonly string[] = [],
): Relation {
  return {
    schema: "public",
    name,
    kind: "table",
    isView: false,
    comment: null,
    columns: new Map(Object.entries(columns).map(([key, typeName]) => [key, column(key, typeName)])),
    primaryKey,
    keys: [primaryKey],
    foreignKeys: [],
    computedFields: new Map(),
    computedRelationships: new Map(),
    isInsertable: true,
    isUpdatable: true,
    isDeletable: true,
  };
}

/** A parameter such as `a integer`, `a integer = 1` or `variadic a integer[]`. */
function parameter(text: string): Parameter {
  const isVariadic = text.startsWith("variadic ");
  const [declared = "", fallback] = text.replace("variadic ", "").split(" = ");
  const space = declared.indexOf(" ");
  return {
    name: declared.slice(0, space),
    type: type(declared.slice(space + 1)),
    isRequired: fallback === undefined,
    isVariadic,
  };
}

const SCALAR: FunctionResult = {
  kind: "scalar",
  isSet: false,
  type: type("integer"),
  rowOf: null,
  columns: null,
};

/** A function of the public schema. A parameter without a name, ` json`, takes the whole body. */
export function fn(name: string, parameters: readonly string[], returns: Partial<FunctionResult> = {}): FunctionEntry {
  const inputs = parameters.map(parameter);
  const unnamed = inputs.length === 1 && inputs[0]?.name === "" ? inputs[0].type.name : null;
  return {
    schema: "public",
    name,
    parameters: inputs,
    hasVariadic: inputs.some(({ isVariadic }) => isVariadic),
    unnamedBody: unnamed as FunctionEntry["unnamedBody"],
    returns: { ...SCALAR, ...returns },
    volatility: "volatile",
    isForUsers: true,
    rows: 0,
    settings: NO_SETTINGS,
    comment: null,
  };
}

export interface SmallCatalogue {
  readonly relations?: readonly Relation[];
  readonly functions?: readonly FunctionEntry[];
  readonly relationships?: readonly ForeignKeyRelationship[];
}

export function catalogueOf({ relations = [], functions = [], relationships = [] }: SmallCatalogue): Catalogue {
  const schema = {
    name: "public",
    comment: null,
    relations: new Map(relations.map((relation) => [relation.name, relation])),
    functions: Map.groupBy(functions, ({ name }) => name),
  };
  const schemas = new Map([["public", schema]]);
  return { version: "1", schemas, relationships, mediaHandlers: [], roleSettings: new Map(), isComplete: true };
}
