import type { Schema } from "../openapi/document.ts";

export const TEXT: Schema = { type: "string" };
export const TEXT_OR_NULL: Schema = { type: ["string", "null"] };
export const UUID: Schema = { type: "string", format: "uuid" };
export const UUID_OR_NULL: Schema = { type: ["string", "null"], format: "uuid" };
export const TIME: Schema = { type: "string", format: "date-time" };
export const TIME_OR_NULL: Schema = { type: ["string", "null"], format: "date-time" };
export const TRUTH: Schema = { type: "boolean" };
export const COUNT: Schema = { type: "integer", minimum: 0 };
export const COUNT_OR_NULL: Schema = { type: ["integer", "null"], minimum: 0 };
export const ANY_OBJECT: Schema = { type: "object", additionalProperties: true };

/** Of functions alone. */
const WARNINGS: Schema = describe(listOf(TEXT), "unknown members of the body; absent when there are none");

type Properties = Readonly<Record<string, Schema>>;

/** All of `properties` are always there, those of `optional` not. */
export function record(properties: Properties, optional: Properties = {}): Schema {
  return { type: "object", properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

/** What a function answers: a record that may say which members of the body it does not know. */
export function answered(properties: Properties, optional: Properties = {}): Schema {
  return record(properties, { ...optional, warnings: WARNINGS });
}

export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

export function describe(schema: Schema, description: string): Schema {
  return { ...schema, description };
}
