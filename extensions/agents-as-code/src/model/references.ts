import type { Json } from "@swarmbase/sdk";
import { isObject, memberOf, type Path } from "./json.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

const OPENING = "$" + "{env:";
const TOKEN = /\$\$\{env:|\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\$\{env:/g;

/** Names of the variables that a text refers to. */
export function findReferences(text: string): readonly string[] {
  return [...text.matchAll(TOKEN)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/** `${env:` without a valid name and a closing brace, which would otherwise be stored as it stands. */
export function hasBrokenReference(text: string): boolean {
  return [...text.matchAll(TOKEN)].some(([token, name]) => token === OPENING && name === undefined);
}

/** The text of a file that stands for this value: `$${env:` is a literal `${env:`. */
export function escapeReferences(value: Json): Json {
  return mapTexts(value, (text) => text.replaceAll(OPENING, () => `$${OPENING}`));
}

export function referenceTo(variable: string): string {
  return `${OPENING}${variable}}`;
}

interface Resolved {
  readonly value: Json;
  /** Values that came from variables; they must never be printed. */
  readonly secrets: readonly string[];
  /** Places that could be resolved only with the stored value, because a variable is not set. */
  readonly unset: readonly { readonly path: Path; readonly names: readonly string[]; readonly isStored: boolean }[];
}

/**
 * Replaces references by values. Where a variable is not set, the stored value stays: a person who may not know a secret can still plan
 * and change everything else. Without a stored value the place stays null, and the resource cannot be written.
 */
export function resolveReferences(raw: Json, stored: Json | undefined, variables: Variables): Resolved {
  const secrets: string[] = [];
  const unset: { path: Path; names: readonly string[]; isStored: boolean }[] = [];
  const resolve = (value: Json, current: Json | undefined, path: Path): Json => {
    if (Array.isArray(value))
      return value.map((item, index) => resolve(item, memberOf(current, index), [...path, index]));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          resolve(member ?? null, memberOf(current, name), [...path, name]),
        ]),
      );
    if (typeof value !== "string") return value;
    const missing = findReferences(value).filter((name) => !isSet(variables, name));
    if (missing.length > 0) {
      const isStored = typeof current === "string";
      unset.push({ path, names: missing, isStored });
      return isStored ? current : null;
    }
    return value.replaceAll(TOKEN, (token: string, name: string | undefined) => {
      if (name === undefined) return OPENING;
      const text = variables[name] ?? token;
      secrets.push(text);
      return text;
    });
  };
  return { value: resolve(raw, stored, []), secrets, unset };
}

/** An empty variable counts as unset, because CI systems set variables of missing secrets to an empty string. */
function isSet(variables: Variables, name: string): boolean {
  return Object.hasOwn(variables, name) && variables[name] !== undefined && variables[name] !== "";
}

function mapTexts(value: Json, map: (text: string) => string): Json {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member ?? null, map)]));
}
