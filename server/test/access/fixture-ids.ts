import { randomUUID } from "node:crypto";

export type FixtureIds = ReadonlyMap<string, string>;

/** Every `:name` of a statement, by that name. Names are made up on first use, so a fixture needs no list of its own. */
export function collectFixtureIds(statements: readonly string[]): FixtureIds {
  const names = new Set(statements.flatMap((text) => [...text.matchAll(NAME)].map(([, name = ""]) => name)));
  return new Map([...names].map((name) => [name, randomUUID()]));
}

/** A cast (`::uuid`), a time (`12:00`) and a JSON key (`":`) are not names. */
const NAME = /(?<![:\w"]):([a-z][A-Za-z]*)/g;

export function bindFixtureIds(statement: string, ids: FixtureIds): string {
  return statement.replaceAll(NAME, (_, name: string) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`the fixture has nothing called ${name}, which this needs: ${statement}`);
    return `'${id}'`;
  });
}
