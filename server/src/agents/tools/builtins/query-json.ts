import { invalidInput } from "../invalid-input.ts";

type Step = { readonly kind: "key"; readonly key: string } | { readonly kind: "all" };

const MAX_STEPS = 50;
const MAX_FOUND = 1_000;
const PART = /\.?(?:([^.[\]]+)|\[(\d+|\*)\]|\["([^"]*)"\])/y;

/** Returns the part of a JSON text that a path selects, as JSON. A path with `[*]` selects a list. */
export function queryJson(json: string, path: string): string {
  const steps = path.startsWith("/") ? parsePointer(path) : parsePath(path);
  if (steps.length > MAX_STEPS) throw invalidInput(`The path has more than ${MAX_STEPS} steps.`);
  let found: unknown[] = [parse(json)];
  for (const step of steps) {
    found = found.flatMap((value) => take(value, step)).slice(0, MAX_FOUND);
  }
  const isList = steps.some(({ kind }) => kind === "all");
  if (!isList && found.length === 0) throw invalidInput("The path matches nothing in this JSON.");
  return JSON.stringify(isList ? found : found[0]);
}

function take(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step.kind === "all") return Object.values(value).slice(0, MAX_FOUND);
  return Object.hasOwn(value, step.key) && !(Array.isArray(value) && step.key === "length")
    ? [Reflect.get(value, step.key)]
    : [];
}

function parsePointer(path: string): readonly Step[] {
  return path
    .slice(1)
    .split("/")
    .map((part) => ({ kind: "key", key: part.replaceAll("~1", "/").replaceAll("~0", "~") }));
}

function parsePath(path: string): readonly Step[] {
  // JSONPath and jq begin paths with `$` or `.`.
  const text = path.trim().replace(/^\$/, "").replace(/^\.$/, "");
  const steps: Step[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const from = PART.lastIndex;
    const [, name, index, quoted] = PART.exec(text) ?? [];
    const key = name ?? index ?? quoted;
    if (key === undefined) throw invalidInput(`The path is not valid from character ${from + 1} on.`);
    steps.push(index === "*" ? { kind: "all" } : { kind: "key", key });
  }
  return steps;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw invalidInput("The text is not JSON.");
  }
}
