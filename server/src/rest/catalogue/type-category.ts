import type { CatalogueTypeRow } from "./sql/select-catalogue.ts";

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

const BUILT_IN = ["bytea", "json", "jsonb", "tsvector", "uuid", "void", "xml"] as const;
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

export function decideTypeCategory({ kind, letter, plainName, isBuiltIn }: CatalogueTypeRow): TypeCategory {
  const named = isBuiltIn ? BUILT_IN.find((name) => name === plainName) : undefined;
  if (named !== undefined) return named;
  if (isBuiltIn && plainName === "record") return "composite";
  return BY_KIND[kind] ?? BY_LETTER[letter] ?? "other";
}
