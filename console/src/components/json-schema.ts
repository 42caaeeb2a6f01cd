/** The part of JSON Schema from which a form is generated; for anything else the user edits JSON. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  /** Choices with titles: `{ const, title }`. */
  readonly oneOf?: readonly { readonly const?: unknown; readonly title?: string }[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

type FormKind = "text" | "time" | "number" | "integer" | "boolean" | "choice" | "texts" | "json";

/** Decides which control edits a value of the schema. */
export function decideKind(schema: JsonSchema): FormKind {
  if (listChoices(schema) !== null) return "choice";
  switch (schema.type) {
    case "string":
      return schema.format === "date-time" ? "time" : "text";
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

interface SchemaChoice {
  readonly value: string;
  readonly label: string;
}

/** The texts that a value of the schema may be; null when it may be something else. Schemas come from anybody. */
export function listChoices({ enum: values, oneOf: titled }: JsonSchema): readonly SchemaChoice[] | null {
  const choices = Array.isArray(values)
    ? values.map((value: unknown) => ({ const: value, title: String(value) }))
    : Array.isArray(titled)
      ? (titled as NonNullable<JsonSchema["oneOf"]>)
      : [];
  const found = choices.flatMap(({ const: value, title }) =>
    typeof value === "string" ? [{ value, label: title ?? value }] : [],
  );
  return found.length > 0 && found.length === choices.length ? found : null;
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
