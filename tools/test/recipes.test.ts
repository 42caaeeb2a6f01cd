import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkRecipes, RECIPES } from "../documents/check-recipes.ts";
import { readSymbols } from "../documents/code-symbols.ts";

const FILES: Readonly<Record<string, string>> = {
  "clients/sdk/src/events.ts": "export const TYPES = [1];",
  "clients/sdk/src/event-schemas/agent-events.ts": "export const AGENT_EVENTS = {};",
  "clients/sdk/src/event-schemas/user-events.ts": "export const USER_EVENTS = {};",
  "server/migrations/0001_agents.sql": "create table public.agents (\n  id uuid\n);",
  "server/schema.sql": "",
};
const TITLE = "Adding an event type";
// Filled in, because the check of the repository reads this file too.
const [TYPE, LIST] = ["EventType", "EVENT_TYPES"];

function faultsOf(rows: string, sources: Readonly<Record<string, string>> = {}): readonly string[] {
  const recipe = (title: string) =>
    `## ${title}\n\n| file | what to add |\n|---|---|\n${title === TITLE ? rows : "| `clients/sdk/src/events.ts` | a row |"}\n`;
  return checkRecipes({
    pages: new Map([["CONTRIBUTING.md", Object.keys(RECIPES).map(recipe).join("\n")]]),
    acceptance: new Map(),
    sources: new Map(Object.entries(sources)),
    paths: Object.keys(FILES),
    scripts: new Set(),
    generated: {},
    mentions: {},
    isGenerated: (path) => path === "server/schema.sql",
    exists: (path) => path in FILES,
    readSource: (path) => FILES[path] ?? null,
  });
}

describe("the check of the recipes", () => {
  it("accepts files, symbols, placeholders, new files and generated files that exist", () => {
    const rows = [
      "| `clients/sdk/src/events.ts#TYPES` | the name |",
      "| `clients/sdk/src/event-schemas/<group>-events.ts` | the description |",
      "| `server/migrations/<number>_<words>.sql` (new) | the constraint |",
      "| `server/schema.sql` (generated) | `npm run schema:dump` |",
    ];
    assert.deepEqual(faultsOf(rows.join("\n")), []);
  });

  const bad: Readonly<Record<string, string>> = {
    "| `clients/sdk/src/gone.ts` | a row |": "clients/sdk/src/gone.ts does not exist",
    "| `clients/sdk/src/events.ts#GONE` | a row |": "clients/sdk/src/events.ts declares no GONE",
    "| `clients/sdk/src/<group>-gone.ts` | a row |": "clients/sdk/src/<group>-gone.ts matches no file",
    "| `server/schema.sql` | a row |": "server/schema.sql is generated, unlike the recipe says",
    "| `clients/sdk/src/events.ts` (generated) | `npm run x` |":
      "clients/sdk/src/events.ts is not generated, unlike the recipe says",
    "| `server/schema.sql` (generated) | later |": "server/schema.sql does not name its command",
    "| `clients/sdk/src/events.ts` (maybe) | a row |":
      'a row is not "| `file` | what to add |": | `clients/sdk/src/events.ts` (maybe) | a row |',
    nothing: "has no table of files",
  };
  for (const [row, fault] of Object.entries(bad)) {
    it(`reports ${row}`, () => assert.deepEqual(faultsOf(row), [`CONTRIBUTING.md: "${TITLE}": ${fault}`]));
  }

  it("reports all recipes that are missing", () => {
    const page = new Map([["CONTRIBUTING.md", "# Contributing\n"]]);
    const tree = { ...EMPTY, pages: page };
    assert.deepEqual(
      checkRecipes(tree),
      Object.keys(RECIPES).map((title) => `CONTRIBUTING.md: "${title}": is missing`),
    );
  });

  it("reports a table over the type that the recipe does not name", () => {
    const row = "| `clients/sdk/src/events.ts` | a row |";
    const fault = (path: string) =>
      `CONTRIBUTING.md: "${TITLE}": does not name ${path}, which has a table over EventType or EVENT_TYPES`;
    for (const table of [`Record<${TYPE}, string>`, `Record<(typeof ${LIST})[number], 1>`, `{ [T in ${TYPE}]: T }`])
      assert.deepEqual(faultsOf(row, { "server/src/b.ts": `type A = ${table};` }), [fault("server/src/b.ts")]);
    assert.deepEqual(faultsOf(row, { "clients/sdk/src/events.ts": `type A = Record<${TYPE}, string>;` }), []);
    assert.deepEqual(faultsOf(row, { "server/src/b.ts": `type A = Record<${TYPE}Name, string>;` }), []);
  });
});

const EMPTY = {
  pages: new Map<string, string>(),
  acceptance: new Map<string, string>(),
  sources: new Map<string, string>(),
  paths: [],
  scripts: new Set<string>(),
  generated: {},
  mentions: {},
  isGenerated: () => false,
  exists: () => false,
  readSource: () => null,
};

describe("the symbols of a source file", () => {
  const has = (path: string, text: string, name: string) => readSymbols(path, text)?.(name);

  it("are, in TypeScript, what the top level declares or exports, and their members", () => {
    const text = `
      import { elsewhere } from "./other.ts";
      export { moved, was as renamed } from "./moved.ts";
      export const LIMITS = { api: { limit: 100 }, "agents.name": { max: 1 } } as const satisfies object;
      export const [FIRST, { inner }] = list;
      const FROZEN = Object.freeze({ a: 1 });
      export type Kind = "a";
      export interface Row { readonly sql: string; run(): void }
      export class Pool { #size = 1; open() {} }
      export async function start() { const local = 1; return local; }
      // export function commentedOut() {}
      const text = "function inText() {}";
    `;
    const known =
      "moved renamed LIMITS LIMITS.api LIMITS.api.limit LIMITS.agents.name LIMITS.agents.name.max FIRST inner";
    for (const name of `${known} FROZEN.a Kind Row Row.sql Row.run Pool Pool.open start text`.split(" "))
      assert.equal(has("a.ts", text, name), true, name);
    for (const name of "elsewhere was LIMITS.auth LIMITS.api.max local commentedOut inText start.local Row.x".split(
      " ",
    ))
      assert.equal(has("a.ts", text, name), false, name);
    assert.equal(has("a.tsx", "export function Page() { return <p>text</p>; }", "Page"), true);
  });

  it("are, in SQL, what a file creates, with or without its schema, and columns", () => {
    const text = `
create table public.agents (
  id uuid default private.new_id() constraint agents_pkey primary key,
  "name" text not null,
  constraint agents_name_key unique (name)
);
alter table public.agents add column role text;
create or replace function private.emit_event(type text) returns void language plpgsql as $$
begin
  create table hidden (id uuid);
end
$$;
create policy agents_select on public.agents for select using (true);
create constraint trigger agents_check after insert on public.agents for each row execute function f();
create unique index agents_name_idx on public.agents (name);
-- create view public.commented as select 1;
`;
    const known =
      "agents public.agents agents.id public.agents.name agents.role agents_pkey agents_name_key emit_event";
    for (const name of `${known} private.emit_event agents_select agents_check agents_name_idx`.split(" "))
      assert.equal(has("a.sql", text, name), true, name);
    for (const name of "hidden commented agents.gone agents_gone private.agents trigger agents.constraint f".split(" "))
      assert.equal(has("a.sql", text, name), false, name);
  });

  it("do not exist in other files", () => assert.equal(readSymbols("README.md", "# A"), null));
});
