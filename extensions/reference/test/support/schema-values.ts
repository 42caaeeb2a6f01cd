import fc, { type Arbitrary } from "fast-check";
import { ANY_CHARACTER } from "../../../../server/test/support/any-character.ts";
import type { OpenApiDocument, Schema } from "../../src/openapi/document.ts";

/** Makes values for the schemas of a document. */
export interface SchemaValues {
  /** Values that the schema allows. */
  valid(schema: Schema): Arbitrary<unknown>;
  /** Values that it allows, values with one member replaced, added or removed, and anything else that is JSON. */
  any(schema: Schema): Arbitrary<unknown>;
}

const MOST_LEVELS = 4;
const MOST_ITEMS = 3;
const MOST_CHARACTERS = 30;

/** `ids` are offered where a UUID is expected, so that some values refer to something that exists. */
export function createSchemaValues({ components }: OpenApiDocument, ids: readonly string[]): SchemaValues {
  const valid = (schema: Schema, level = 0): Arbitrary<unknown> => {
    if (schema.$ref !== undefined) return valid(components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, level);
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms !== undefined) return fc.oneof(...forms.map((form) => valid(form, level)));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.type === undefined || level > MOST_LEVELS) return fc.jsonValue({ maxDepth: 1 });
    const types = [schema.type].flat();
    return fc.oneof(...types.map((type) => ofType(type, schema, level)));
  };
  const ofType = (type: string, schema: Schema, level: number): Arbitrary<unknown> => {
    switch (type) {
      case "string":
        return textOf(schema, ids);
      case "integer":
        return fc.integer({ min: schema.minimum ?? -9, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
      case "number":
        return fc.integer({ min: (schema.minimum ?? 0) * 10, max: (schema.maximum ?? 100) * 10 }).map((n) => n / 10);
      case "boolean":
        return fc.boolean();
      case "array": {
        const { minItems = 0, maxItems = MOST_ITEMS } = schema;
        const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, MOST_ITEMS)) };
        return fc.array(valid(schema.items ?? {}, level + 1), bounds);
      }
      case "object":
        return objectOf(schema, level);
      default:
        return fc.constant(null);
    }
  };
  const objectOf = ({ properties, required = [], additionalProperties }: Schema, level: number): Arbitrary<unknown> => {
    if (properties === undefined) {
      const inner = typeof additionalProperties === "object" ? valid(additionalProperties, level + 1) : fc.jsonValue();
      return fc.dictionary(fc.string({ maxLength: 5 }), inner, { maxKeys: 2 });
    }
    const members = Object.entries(properties).map(([name, member]) => [name, valid(member, level + 1)] as const);
    return fc.record(Object.fromEntries(members), { requiredKeys: required.filter((name) => name in properties) });
  };
  return {
    valid,
    any: (schema) => {
      const good = valid(schema);
      return fc.oneof(
        { arbitrary: good, weight: 5 },
        { arbitrary: fc.tuple(good, fc.nat(), fc.jsonValue({ maxDepth: 2 })).map(replaceMember), weight: 4 },
        { arbitrary: fc.tuple(good, fc.nat()).map(removeMember), weight: 1 },
        { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
      );
    },
  };
}

function textOf(schema: Schema, ids: readonly string[]): Arbitrary<string> {
  const { format, pattern, examples = [], minLength = 0, maxLength = MOST_CHARACTERS } = schema;
  switch (format) {
    case "uuid":
      return fc.oneof(fc.constantFrom(...ids), fc.uuid());
    case "date-time":
      return fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
        .map((at) => at.toISOString());
    case "date":
      return fc.constantFrom("2026-11-15", "1999-12-31");
    case "email":
      return fc.emailAddress();
    case "uri":
      return fc.constantFrom("https://localhost/", "https://example.com/a?b=c");
    default:
      break;
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength });
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, MOST_CHARACTERS)) };
  const plain = fc.oneof(fc.string(bounds), fc.string({ ...bounds, unit: ANY_CHARACTER }));
  return examples.length === 0 ? plain : fc.oneof(fc.constantFrom(...examples.map(String)), plain);
}

function replaceMember([value, place, other]: [unknown, number, unknown]): unknown {
  if (Array.isArray(value)) return [...value, other];
  if (typeof value !== "object" || value === null) return other;
  const names = [...Object.keys(value), "surely_unknown"];
  return { ...value, [names[place % names.length] ?? ""]: other };
}

function removeMember([value, place]: [unknown, number]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  return Object.fromEntries(entries.filter((_, at) => at !== place % entries.length));
}
