import { isRecord } from "../../../json/index.ts";

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 16;
const MAX_CHARS = 1_000;
const MAX_ITEMS = 100;
/** Of the whole value, as JSON. Lists in lists would multiply their items otherwise. */
const MAX_TOTAL_CHARS = 65_536;
const FORMATS: Readonly<Record<string, string>> = {
  date: "2000-01-01",
  time: "00:00:00Z",
  "date-time": "2000-01-01T00:00:00Z",
  duration: "PT1S",
  email: "simulated@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/simulated",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A value that a simple schema accepts. `turn` selects a value of an enum, and `done` after the last one. */
export function fillSchema(root: unknown, turn: number): unknown {
  let charsLeft = MAX_TOTAL_CHARS;
  const keep = <T>(value: T): T => {
    charsLeft -= JSON.stringify(value).length;
    return value;
  };
  const fill = (schema: unknown, depth: number): unknown => {
    charsLeft -= 1;
    if (!isRecord(schema) || depth > MAX_DEPTH || charsLeft < 0) return null;
    const { $ref, type, enum: values, const: only, anyOf, oneOf, properties, required } = schema;
    if (typeof $ref === "string") return fill(resolve(root, $ref), depth + 1);
    if (only !== undefined) return keep(only);
    if (Array.isArray(values) && values.length > 0) return keep(choose(values, turn));
    const options: unknown = anyOf ?? oneOf;
    if (type === undefined && Array.isArray(options)) return fill(options[0], depth + 1);
    switch (Array.isArray(type) ? type[0] : type) {
      case "string":
        return keep(fillText(schema));
      case "number":
      case "integer":
        return fillNumber(schema);
      case "boolean":
        return false;
      case "array": {
        const count = Math.min(numberOf(schema, "minItems") ?? 0, MAX_ITEMS);
        return Array.from({ length: count }, () => fill(schema["items"], depth + 1));
      }
      case "null":
        return null;
      default: {
        const known = isRecord(properties) ? properties : {};
        const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
        return Object.fromEntries(names.map((name) => [name, fill(known[name], depth + 1)]));
      }
    }
  };
  return fill(root, 0);
}

function fillText(schema: Schema): string {
  const format = schema["format"];
  const text = (typeof format === "string" ? FORMATS[format] : undefined) ?? "simulated";
  const min = Math.min(numberOf(schema, "minLength") ?? 0, MAX_CHARS);
  return text.padEnd(min, ".").slice(0, numberOf(schema, "maxLength") ?? undefined);
}

function fillNumber(schema: Schema): number {
  const step = numberOf(schema, "multipleOf") ?? 1;
  const exclusive = numberOf(schema, "exclusiveMinimum");
  const min = numberOf(schema, "minimum") ?? (exclusive === null ? null : exclusive + step);
  if (min !== null) return schema["type"] === "integer" || step !== 1 ? Math.ceil(min / step) * step : min;
  const max = numberOf(schema, "maximum");
  return max !== null && max < 0 ? Math.floor(max / step) * step : 0;
}

function numberOf(schema: Schema, keyword: string): number | null {
  const value = schema[keyword];
  return typeof value === "number" ? value : null;
}

function resolve(root: unknown, reference: string): unknown {
  let found: unknown = root;
  for (const step of reference.split("/").slice(1)) found = isRecord(found) ? found[step] : undefined;
  return found;
}

function choose(values: readonly unknown[], turn: number): unknown {
  const others = values.filter((value) => value !== "done");
  return turn < others.length || !values.includes("done") ? others[turn % others.length] : "done";
}
