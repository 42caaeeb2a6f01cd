import { decideKind, type JsonSchema } from "./json-schema.ts";

type Answer = Readonly<Record<string, unknown>>;

interface CompletedAnswer {
  readonly content: Answer;
  /** Property → error message. */
  readonly faults: Readonly<Record<string, string>>;
}

/** Adds the values that the form shows without a change: defaults, and switches that are off. Reports required properties without a value. */
export function completeAnswer({ properties = {}, required = [] }: JsonSchema, value: Answer): CompletedAnswer {
  const shown = Object.entries(properties).flatMap(([name, schema]) => {
    const given = value[name] ?? schema.default ?? (decideKind(schema) === "boolean" ? false : undefined);
    return given === undefined ? [] : [[name, given] as const];
  });
  const content = Object.fromEntries(shown);
  const missing = required.filter((name) => !Object.hasOwn(content, name));
  return { content, faults: Object.fromEntries(missing.map((name) => [name, "Enter a value."])) };
}
