import type { DatabaseDescription } from "./read-database.ts";

const FILE = "extensions/database-tools/src/types/service/service-names.ts";
const SCHEMA = "public";
/** The formatter keeps shorter lists on one line. */
const MAX_LINE = 105;

/** The names that the type `Database` of the sdk declares, so that `swarmbase gen types` adds only those of the app. */
export function renderServiceNames({ catalogue }: DatabaseDescription): Map<string, string> {
  const { relations, functions } = catalogue.schemas.get(SCHEMA) ?? {};
  const list = (names: Iterable<string>): string => {
    const words = [...names].toSorted().map((name) => JSON.stringify(name));
    const line = `[${words.join(", ")}],`;
    return line.length <= MAX_LINE ? line : `[\n${words.map((word) => `    ${word},\n`).join("")}  ],`;
  };
  return new Map([
    [
      FILE,
      `// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.

export const SERVICE_NAMES = {
  relations: ${list(relations?.keys() ?? [])}
  functions: ${list(functions?.keys() ?? [])}
} as const;
`,
    ],
  ]);
}
