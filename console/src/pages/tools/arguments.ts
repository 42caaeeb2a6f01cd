import type { Json, JsonObject } from "@swarmbase/sdk";

const ARGUMENT_TYPES = ["string", "number", "integer", "boolean", "texts", "other"] as const;
/** The choices for a type. "other" is a schema that only the JSON editor can show. */
export type ArgumentType = (typeof ARGUMENT_TYPES)[number];

export interface Argument {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The arguments of an input schema as a list. */
export function readArguments(schema: JsonObject): readonly Argument[] {
  const { properties } = schema;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => ({
    name,
    schema: isObject(property) ? property : {},
    isRequired: required.includes(name),
  }));
}

/** Replaces the arguments of a schema and keeps its other keywords. */
export function writeArguments(schema: JsonObject, list: readonly Argument[]): JsonObject {
  const { required: _old, ...others } = schema;
  const named = list.filter(({ name }) => name !== "");
  const required = named.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    ...others,
    type: "object",
    properties: Object.fromEntries(named.map((argument) => [argument.name, argument.schema])),
    ...(required.length > 0 && { required }),
  };
}

export function typeOf({ schema }: Argument): ArgumentType {
  const { type, items } = schema;
  if (type === "array") return isObject(items) && items["type"] === "string" ? "texts" : "other";
  return ARGUMENT_TYPES.find((known) => known === type && known !== "texts" && known !== "other") ?? "other";
}

/** The schema of a type, with the previous description. */
export function withType(schema: JsonObject, type: Exclude<ArgumentType, "other">): JsonObject {
  const { description } = schema;
  const kept = description === undefined ? {} : { description };
  return type === "texts" ? { type: "array", items: { type: "string" }, ...kept } : { type, ...kept };
}

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}/g;

/** Finds the placeholders, such as `{name}`, of a request. */
export function findPlaceholders(url: string, body: Json | undefined): readonly string[] {
  const text = `${url} ${body === undefined ? "" : textsOf(body).join(" ")}`;
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name))];
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((member) => (member === undefined ? [] : textsOf(member)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
