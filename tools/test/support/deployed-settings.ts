import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../..");

/** Of tests; a real one is random. */
export const MASTER_KEY = "k".repeat(32);

// oxlint-disable-next-line typescript/no-explicit-any -- The tests read files of many types, whose schemas they check first.
export function readYaml(path: string): any {
  return parse(readFileSync(join(root, path), "utf8"), { merge: true });
}

/** The environment of a service of a compose file, as with an `.env` that sets only what is required. */
export function resolveEnvironment(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, substitute(value)]));
}

function substitute(value: string): string {
  return value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, sign: string, text: string) => {
    if (sign === "-") return text;
    return name === "MASTER_KEY" ? MASTER_KEY : "secret";
  });
}
