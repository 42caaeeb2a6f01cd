import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { findFaults } from "../architecture/find-faults.ts";

const PLATE = "// In charge of: this.\n// Not in charge of: that.\n";

/** A small house in good order; each test spoils one thing in it. */
const GOOD: Record<string, string> = {
  "sdk/src/index.ts": 'import { createHmac } from "node:crypto";\nexport const sign = createHmac;\n',
  "server/src/config/index.ts": `${PLATE}export { load } from "./load.ts";\n`,
  "server/src/config/load.ts": "export const load = () => 1;\n",
  "server/src/errors/index.ts": `${PLATE}export const fail = "Select a plan";\n`,
  "server/src/db/index.ts": `${PLATE}export const one = "select 1";\nimport "node:net";\n`,
  "server/src/auth/index.ts": `${PLATE}export { find } from "./sql/find.ts";\n`,
  "server/src/auth/sql/find.ts": "export const find = `select id from private.users where id = $1`;\n",
  "server/src/http/index.ts": `${PLATE}import { fail } from "../errors/index.ts";\nexport const a = fail;\n`,
  "server/src/app.ts": 'import { a } from "./http/index.ts";\nexport const app = a;\n',
  "server/src/main.ts": 'import { app } from "./app.ts";\nconst port = process.env["PORT"];\nvoid [app, port];\n',
  "server/migrations/0001_agents.sql": "create table agents ();\n",
  "server/test/auth/find.test.ts": 'import { find } from "../../src/auth/sql/find.ts";\nvoid find;\n',
  "acceptance/4.1-agents.test.ts": 'import { test } from "node:test";\ntest("4.1", () => {});\n',
  "tools/check.ts": 'import { load } from "../server/src/config/index.ts";\nvoid load;\n',
};

function faultsWith(changes: Record<string, string>): string[] {
  const texts = new Map(Object.entries({ ...GOOD, ...changes }));
  return findFaults(texts).map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

describe("the architecture check", () => {
  it("finds nothing in a house in good order", () => assert.deepEqual(faultsWith({}), []));

  const spoiled: { rule: string; changes: Record<string, string>; expected: RegExp[] }[] = [
    {
      rule: "an unknown room",
      changes: { "server/src/billing/index.ts": PLATE },
      expected: [/^server\/src\/billing\/index\.ts:1: "billing" is not a known room/],
    },
    {
      rule: "a file beside the rooms",
      changes: { "server/src/start.ts": "" },
      expected: [/^server\/src\/start\.ts:1: only app\.ts.* and prepare-database\.ts/],
    },
    {
      rule: "a part of the console that knows rows",
      changes: {
        "console/src/data/rows.ts": "export const rows = 1;\n",
        "console/src/components/list.tsx": 'import { rows } from "../data/rows.ts";\nvoid rows;\n',
      },
      expected: [/list\.tsx:1: components may not import data/],
    },
    {
      rule: "a page of the console that knows another",
      changes: {
        "console/src/pages/agents/index.tsx": "export const a = 1;\n",
        "console/src/pages/swarms/index.tsx": 'import { a } from "../agents/index.tsx";\nvoid a;\n',
      },
      expected: [/swarms\/index\.tsx:1: page swarms may not import page agents/],
    },
    {
      rule: "a folder that the console is not laid out with",
      changes: { "console/src/hooks/thing.ts": "export const a = 1;\n" },
      expected: [/thing\.ts:1: "hooks" is not a folder of the console/],
    },
    {
      rule: "an import upwards",
      changes: {
        "server/src/config/load.ts": '\nimport { find } from "../auth/index.ts";\nexport const load = find;\n',
      },
      expected: [/load\.ts:2: config \(layer 1\) imports auth \(layer 3\): imports go down only/],
    },
    {
      rule: "an import upwards that is written as a dynamic import",
      changes: { "server/src/config/load.ts": 'export const load = () => import("../auth/index.ts");\n' },
      expected: [/imports go down only/],
    },
    {
      rule: "an import upwards that is written as a type",
      changes: { "server/src/config/load.ts": 'export type Load = import("../auth/index.ts").Find;\n' },
      expected: [/imports go down only/],
    },
    {
      rule: "an import of a joining file",
      changes: { "server/src/config/load.ts": 'export { app as load } from "../app.ts";\n' },
      expected: [/config \(layer 1\) imports server\/src\/app\.ts \(layer 5\)/],
    },
    {
      rule: "a value taken from the same layer",
      changes: { "server/src/errors/index.ts": `${PLATE}export { load as fail } from "../config/index.ts";\n` },
      expected: [/errors \(layer 1\) imports config \(layer 1\): within a layer only types/],
    },
    {
      rule: "rooms of one layer that borrow types in a circle",
      changes: {
        "server/src/errors/index.ts": `${PLATE}import type { L } from "../config/index.ts";\nexport const fail = 1 as L;\n`,
        "server/src/config/load.ts": 'import type { T } from "../time/index.ts";\nexport const load = 1 as T;\n',
        "server/src/time/index.ts": `${PLATE}export type { T } from "./clock.ts";\n`,
        "server/src/time/clock.ts": 'import type { F } from "../errors/index.ts";\nexport type T = F;\n',
      },
      expected: [/which leads back to it/, /circle/],
    },
    {
      rule: "an entry that is not the door",
      changes: {
        "server/src/http/index.ts": `${PLATE}import { find } from "../auth/sql/find.ts";\nexport const a = find;\n`,
      },
      expected: [/http\/index\.ts:3: server\/src\/auth\/sql\/find\.ts is behind the door of auth/],
    },
    {
      rule: "a joining file that goes round a door",
      changes: { "server/src/app.ts": 'export { load as app } from "./config/load.ts";\n' },
      expected: [/app\.ts:1: server\/src\/config\/load\.ts is behind the door/],
    },
    {
      rule: "a tool that goes round a door",
      changes: { "tools/check.ts": 'import { load } from "../server/src/config/load.ts";\nvoid load;\n' },
      expected: [/tools\/check\.ts:1: .* behind the door/],
    },
    {
      rule: "a room that imports its own door",
      changes: {
        "server/src/config/more.ts": 'import { load } from "./index.ts";\nexport const more = load;\n',
      },
      expected: [/more\.ts:1: a room never imports its own index\.ts/],
    },
    {
      rule: "a room without a door",
      changes: { "server/src/limits/window.ts": "" },
      expected: [/^server\/src\/limits:1: the room has no door/],
    },
    {
      rule: "a door without its comment",
      changes: { "server/src/errors/index.ts": "export const fail = 1;\n" },
      expected: [/errors\/index\.ts:1: a door opens with/],
    },
    {
      rule: "a door that does not say what it leaves to others",
      changes: { "server/src/errors/index.ts": "// In charge of: this.\nexport const fail = 1;\n" },
      expected: [/a door opens with/],
    },
    {
      rule: "a door with a long comment",
      changes: { "server/src/errors/index.ts": `${PLATE}// a\n// b\n// c\n// d\nexport const fail = 1;\n` },
      expected: [/at most 5 lines, this one 6/],
    },
    {
      rule: "a circle of files",
      changes: {
        "server/src/config/load.ts": 'import type { B } from "./b.ts";\nexport const load = 1 as B;\n',
        "server/src/config/b.ts": 'export * from "./c.ts";\n',
        "server/src/config/c.ts": 'export { load } from "./load.ts";\n',
      },
      expected: [/circle: \S+load\.ts → \S+b\.ts → \S+c\.ts → \S+load\.ts/],
    },
    {
      rule: "a long source",
      changes: { "server/src/config/load.ts": `export const load = 1;\n${"\n".repeat(300)}` },
      expected: [/load\.ts:301: 301 lines; at most 300/],
    },
    {
      rule: "a name that says nothing",
      changes: { "server/src/config/utils.ts": "", "server/src/config/pool-manager.ts": "", "sdk/src/common/a.ts": "" },
      expected: [/"utils" says nothing/, /"manager" says nothing/, /"common" says nothing/],
    },
    {
      rule: "a name that is not kebab-case",
      changes: { "server/src/config/loadAll.ts": "", "server/src/auth/Keys/a.ts": "", "server/src/auth/a_b.ts": "" },
      expected: [/"loadAll" is not kebab-case/, /"Keys" is not kebab-case/, /"a_b" is not kebab-case/],
    },
    {
      rule: "a migration without number or words",
      changes: { "server/migrations/1_a.sql": "", "server/migrations/0002.sql": "" },
      expected: [/1_a\.sql:1: a migration is named/, /0002\.sql:1: a migration is named/],
    },
    {
      rule: "a long line of SQL",
      changes: {
        "server/migrations/0002_tools.sql": `-- ${"x".repeat(117)}\n-- ${"x".repeat(118)}\n`,
        "server/functions/tools.sql": `\nselect ${"x".repeat(200)};\n`,
        "server/migrations/legacy/0001_tools.sql": `-- ${"x".repeat(200)}\n`,
      },
      expected: [/0002_tools\.sql:2: 121 characters/, /functions\/tools\.sql:2: 208 characters/],
    },
    {
      rule: "SQL outside its folders",
      changes: {
        "server/src/auth/index.ts": `${PLATE}export const a = ["select now()", \`insert into \${x} (a)\`, "update t set a = 1", 'delete from t'];\nconst x = 1;\n`,
      },
      expected: [/auth\/index\.ts:3: SQL text/, /SQL text/, /SQL text/, /SQL text/],
    },
    {
      rule: "a way out by import",
      changes: {
        "server/src/http/out.ts": [
          'import { request } from "undici";',
          'import { createServer, get } from "node:https";',
          'import { connect } from "net";',
          'const late = import("undici");',
          "void [request, createServer, get, connect, late];",
        ].join("\n"),
      },
      expected: [
        /out\.ts:1: undici opens/,
        /out\.ts:2: get opens/,
        /out\.ts:3: connect opens/,
        /out\.ts:4: undici opens/,
      ],
    },
    {
      rule: "a way out by call",
      changes: {
        "server/src/http/out.ts": [
          'import http from "node:http";',
          'import * as net from "node:net";',
          'await fetch("https://a.example");',
          'await globalThis.fetch("https://a.example");',
          'new WebSocket("wss://a.example");',
          "http.request({}); http.createServer();",
          "net.connect(1);",
        ].join("\n"),
      },
      expected: [/:3: fetch/, /:4: fetch/, /:5: WebSocket/, /:6: request/, /:7: connect/],
    },
    {
      rule: "the environment read in a room",
      changes: {
        "server/src/config/load.ts": [
          "export const load = process.env.PORT;",
          'export const more = process["env"];',
          "export const { env } = process;",
          'import { env as all } from "node:process";',
          "void all;",
        ].join("\n"),
      },
      expected: [/load\.ts:4: the environment/, /load\.ts:1: /, /load\.ts:2: /, /load\.ts:3: /],
    },
    {
      rule: "notes of hope, in TypeScript and in SQL",
      changes: {
        "server/src/config/load.ts": 'export const load = "TODO in a text is fine";\n// TODO: later\n/* FIXME */\n',
        "server/migrations/0001_agents.sql": "-- fine\n-- TODO\n",
      },
      expected: [/load\.ts:2: no notes of hope/, /load\.ts:3: no notes/, /0001_agents\.sql:2: no notes/],
    },
    {
      rule: "an sdk that imports ours",
      changes: {
        "sdk/src/index.ts": 'export * from "@swarmbase/server";\nexport * from "../../server/src/config/index.ts";\n',
      },
      expected: [/sdk may not import server/, /sdk may not import server/],
    },
    {
      rule: "acceptance tests that import ours",
      changes: { "acceptance/4.1-agents.test.ts": 'import "@swarmbase/sdk";\nimport "../sdk/src/index.ts";\n' },
      expected: [/acceptance may not import sdk/, /acceptance may not import sdk/],
    },
    {
      rule: "a workspace imported by path",
      changes: { "server/src/errors/index.ts": `${PLATE}export * from "../../../sdk/src/index.ts";\n` },
      expected: [/import @swarmbase\/sdk, not its files/],
    },
    {
      rule: "a source that imports a test",
      changes: { "server/src/config/load.ts": 'export * from "../../test/support/database.ts";\n' },
      expected: [/server\/test\/support\/database\.ts is a test/],
    },
  ];
  for (const { rule, changes, expected } of spoiled) {
    it(`sees ${rule}`, () => {
      const faults = faultsWith(changes);
      assert.equal(faults.length, expected.length, faults.join("\n"));
      for (const pattern of expected)
        assert.ok(
          faults.some((text) => pattern.test(text)),
          `${pattern}\n${faults.join("\n")}`,
        );
    });
  }

  it("refuses a file that cannot be parsed", () => {
    assert.throws(() => faultsWith({ "server/src/config/load.ts": "const = ;" }), /load\.ts/);
  });

  it("ends with an error when run on a spoiled tree, and without one on a good tree", async () => {
    const root = await mkdtemp(join(tmpdir(), "swarmbase-tools-"));
    try {
      for (const [path, text] of Object.entries(GOOD)) {
        await mkdir(join(root, path, ".."), { recursive: true });
        await writeFile(join(root, path), text);
      }
      const run = () =>
        promisify(execFile)(process.execPath, [`${import.meta.dirname}/../check-architecture.ts`, root]);
      await run();
      await writeFile(join(root, "server/src/config/helpers.ts"), "");
      await assert.rejects(run(), /server\/src\/config\/helpers\.ts:1: "helpers" says nothing/);
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
