import assert from "node:assert/strict";
import type { Service } from "./service.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Fails unless the event matches its published schema and has no additional members. */
export type EventValidator = (event: { readonly type: string }) => void;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Keywords that constrain nothing, or are evaluated together with another keyword. */
const SILENT = new Set(["title", "description", "required", "additionalProperties"]);

/** The event schemas are part of the published OpenAPI document. */
export async function loadEventValidator(service: Service): Promise<EventValidator> {
  const { body } = await service.request("/openapi.json");
  const events = body["webhooks"] as Record<string, Schema>;
  return (event) => {
    const schema = findMember(events[event.type], "post", "requestBody", "content", "application/json", "schema");
    assert.ok(schema, `${event.type} has no schema`);
    const faults = validate(schema as Schema, event, event.type, body);
    assert.deepEqual(faults, [], JSON.stringify(event));
  };
}

function findMember(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), value);
}

function validate(schema: Schema, value: unknown, path: string, root: unknown): string[] {
  return Object.entries(schema).flatMap(([keyword, expected]) => {
    if (SILENT.has(keyword)) return [];
    const fault = (isGood: boolean): string[] => (isGood ? [] : [`${path}: ${keyword} ${JSON.stringify(expected)}`]);
    switch (keyword) {
      case "$ref":
        return validate(findMember(root, ...String(expected).split("/").slice(1)) as Schema, value, path, root);
      case "type":
        return fault([expected].flat().some((type) => isOfType(String(type), value)));
      case "const":
        return fault(value === expected);
      case "enum":
        return fault((expected as unknown[]).includes(value));
      case "minimum":
        return fault(typeof value !== "number" || value >= Number(expected));
      case "pattern":
        return fault(typeof value !== "string" || new RegExp(String(expected), "u").test(value));
      case "format":
        return fault(typeof value !== "string" || (expected === "uuid" ? UUID : TIME).test(value));
      case "items":
        return Array.isArray(value)
          ? value.flatMap((item, place) => validate(expected as Schema, item, `${path}.${place}`, root))
          : [];
      case "properties":
        return isRecord(value) ? validateMembers(schema, value, path, root) : [];
      case "anyOf":
        return fault((expected as Schema[]).some((form) => validate(form, value, path, root).length === 0));
      default:
        return [`${path}: the schema has a keyword that this test does not know, ${keyword}`];
    }
  });
}

function validateMembers(schema: Schema, value: Record<string, unknown>, path: string, root: unknown): string[] {
  const properties = schema["properties"] as Record<string, Schema>;
  const missing = ((schema["required"] ?? []) as string[]).filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, member]) => {
      const known = properties[name];
      return known === undefined
        ? [`${path}.${name} is not in the schema`]
        : validate(known, member, `${path}.${name}`, root);
    }),
  ];
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
