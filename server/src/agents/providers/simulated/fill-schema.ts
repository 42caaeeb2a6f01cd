type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 6;

/** A value that a simple schema accepts. `turn` selects a value of an enum, and `done` after the last one. */
export function fillSchema(schema: unknown, turn: number, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return null;
  const { type, enum: values, const: only, properties, required, minimum, minLength } = schema as Schema;
  if (only !== undefined) return only;
  if (Array.isArray(values) && values.length > 0) return choose(values, turn);
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return "simulated".padEnd(typeof minLength === "number" ? Math.min(minLength, 1000) : 0, ".");
    case "number":
    case "integer":
      return typeof minimum === "number" ? minimum : 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "null":
      return null;
    default: {
      const known = typeof properties === "object" && properties !== null ? (properties as Schema) : {};
      const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
      return Object.fromEntries(names.map((name) => [name, fillSchema(known[name], turn, depth + 1)]));
    }
  }
}

function choose(values: readonly unknown[], turn: number): unknown {
  const others = values.filter((value) => value !== "done");
  return turn < others.length || !values.includes("done") ? others[turn % others.length] : "done";
}
