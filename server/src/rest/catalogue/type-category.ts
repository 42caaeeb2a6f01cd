export type TypeCategory =
  | "array"
  | "bit"
  | "boolean"
  | "bytea"
  | "composite"
  | "datetime"
  | "enum"
  | "interval"
  | "json"
  | "jsonb"
  | "number"
  | "other"
  | "range"
  | "text"
  | "tsvector"
  | "uuid"
  | "void"
  | "xml";

/** Columns of pg_type of a type that is not a domain. */
export interface TypeMarks {
  /** typtype */
  readonly kind: string;
  /** typcategory */
  readonly letter: string;
  /** typname */
  readonly plainName: string;
  readonly isBuiltIn: boolean;
}

const BY_NAME: Readonly<Record<string, TypeCategory>> = {
  bytea: "bytea",
  json: "json",
  jsonb: "jsonb",
  tsvector: "tsvector",
  uuid: "uuid",
  void: "void",
  xml: "xml",
};

const BY_KIND: Readonly<Record<string, TypeCategory>> = { c: "composite", e: "enum", m: "range", r: "range" };

const BY_LETTER: Readonly<Record<string, TypeCategory>> = {
  A: "array",
  B: "boolean",
  D: "datetime",
  N: "number",
  S: "text",
  T: "interval",
  V: "bit",
};

export function decideTypeCategory({ kind, letter, plainName, isBuiltIn }: TypeMarks): TypeCategory {
  const named = isBuiltIn ? BY_NAME[plainName] : undefined;
  if (named !== undefined) return named;
  if (isBuiltIn && plainName === "record") return "composite";
  return BY_KIND[kind] ?? BY_LETTER[letter] ?? "other";
}
