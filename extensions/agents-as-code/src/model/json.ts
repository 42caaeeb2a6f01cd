import type { Json, JsonObject } from "@swarmbase/sdk";

export type Path = readonly (string | number)[];

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Own members only: a file may name a key `constructor` or `__proto__`. */
export function memberOf(value: Json | undefined, name: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof name === "number" ? value[name] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function renderPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}
