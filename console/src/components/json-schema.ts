/** The part of JSON Schema from which a form is generated; for anything else the user edits JSON. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

export type FormKind = "text" | "number" | "integer" | "boolean" | "choice" | "texts" | "json";

/** Decides which control edits a value of the schema. */
export function decideKind(schema: JsonSchema): FormKind {
  if (Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === "string")) return "choice";
  switch (schema.type) {
    case "string":
      return "text";
    case "number":
      return "number";
    case "integer":
      return "integer";
    case "boolean":
      return "boolean";
    case "array":
      return schema.items?.type === "string" && schema.items.enum === undefined ? "texts" : "json";
    default:
      return "json";
  }
}

/** `max_results` → "Max results" */
export function humanize(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
