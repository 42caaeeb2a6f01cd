import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { findFaults } from "../architecture/find-faults.ts";
import { hashMigrations } from "../architecture/rules/released-migrations.ts";

const OPENING = "// In charge of: this.\n// Not in charge of: that.\n";

/** A small tree without faults; each test adds one. */
const GOOD: Record<string, string> = {
  "clients/sdk/README.md": "# sdk\n",
  "clients/sdk/test/sign.test.ts": 'import "@swarmbase/sdk";\n',
  "clients/sdk/src/index.ts": 'export { sign } from "./sign.ts";\n',
  "clients/sdk/src/sign.ts": "export const sign = crypto.subtle;\n",
  "server/src/config/index.ts": `${OPENING}export { load } from "./load.ts";\n`,
  "server/src/config/load.ts": "export const load = () => 1;\n",
  "server/src/errors/index.ts": `${OPENING}export const fail = "Select a plan";\n`,
  "server/src/db/index.ts": `${OPENING}export const one = "select 1";\nimport "node:net";\n`,
  "server/src/auth/index.ts": `${OPENING}export { find } from "./sql/find.ts";\n`,
  "server/src/auth/sql/find.ts": "export const find = `select id from private.users where id = $1`;\n",
  "server/src/http/index.ts": `${OPENING}import { fail } from "../errors/index.ts";\nexport const a = fail;\n`,
  "server/src/wiring/index.ts": `${OPENING}import { a } from "../http/index.ts";\nexport const start = a;\n`,
  "server/src/main.ts":
    'import { start } from "./wiring/index.ts";\nconst port = process.env["PORT"];\nvoid [start, port];\n',
  "server/migrations/0001_agents.sql": "create table agents ();\n",
  "server/test/auth/find.test.ts": 'import { find } from "../../src/auth/sql/find.ts";\nvoid find;\n',
  "acceptance/4.1-agents.test.ts": 'import { test } from "node:test";\ntest("4.1", () => {});\n',
  "extensions/notes/README.md": "# notes\n",
  "extensions/notes/src/index.ts":
    'import { LIMITS } from "@swarmbase/sdk";\nimport { defineExtension } from "swarmbase/extension";\nexport { a } from "./a.ts";\nvoid [LIMITS, defineExtension];\n',
  "extensions/notes/src/a.ts": 'import { z } from "zod";\nexport const a = z;\n',
  "extensions/notes/test/notes.test.ts":
    'import { a } from "../src/a.ts";\nimport { start } from "../../../server/test/support/start.ts";\nvoid [a, start];\n',
  "server/test/support/start.ts": "export const start = 1;\n",
  "tools/check.ts": 'import { load } from "../server/src/config/index.ts";\nvoid load;\n',
};

function faultsWith(changes: Record<string, string>): string[] {
  const texts = new Map(Object.entries({ ...GOOD, ...changes }));
  return findFaults(texts).map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

describe("the architecture check", () => {
  it("finds nothing in a tree without faults", () => assert.deepEqual(faultsWith({}), []));

  const faulty: { rule: string; changes: Record<string, string>; expected: RegExp[] }[] = [
    {
      rule: "an unknown module",
      changes: { "server/src/billing/index.ts": OPENING },
      expected: [/^server\/src\/billing\/index\.ts:1: "billing" is not a known module/],
    },
    {
      rule: "a file beside the modules",
      changes: { "server/src/start.ts": "" },
      expected: [/^server\/src\/start\.ts:1: only main\.ts may be outside of the modules/],
    },
    {
      rule: "a component of the console that imports data",
      changes: {
        "console/src/data/rows.ts": "export const rows = 1;\n",
        "console/src/components/list.tsx": 'import { rows } from "../data/rows.ts";\nvoid rows;\n',
      },
      expected: [/list\.tsx:1: components may not import data/],
    },
    {
      rule: "a page of the console that imports another",
      changes: {
        "console/src/pages/agents/index.tsx": "export const a = 1;\n",
        "console/src/pages/swarms/index.tsx": 'import { a } from "../agents/index.tsx";\nvoid a;\n',
      },
      expected: [/swarms\/index\.tsx:1: page swarms may not import page agents/],
    },
    {
      rule: "an unknown folder of the console",
      changes: { "console/src/hooks/thing.ts": "export const a = 1;\n" },
      expected: [/thing\.ts:1: "hooks" is not a folder of the console/],
    },
    {
      rule: "an effect that returns what a call returns, also in a template",
      changes: {
        "extensions/notes/template/src/room.tsx": [
          "useEffect(() => end.current?.scrollIntoView(), []);",
          "React.useLayoutEffect(async () => {}, []);",
          "useInsertionEffect(scroll);",
          "useEffect(() => () => clearTimeout(timer.current), []);",
          "useEffect(() => {\n  end.current?.scrollIntoView();\n}, []);",
          "",
        ].join("\n"),
      },
      expected: [
        /room\.tsx:1: an effect needs a body in braces/,
        /room\.tsx:2: an effect needs/,
        /room\.tsx:3: an effect needs/,
      ],
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
      changes: { "server/src/config/load.ts": 'type Load = import("../auth/index.ts").Find;\n' },
      expected: [/imports go down only/],
    },
    {
      rule: "an import of the program",
      changes: { "server/src/config/load.ts": 'import "../main.ts";\nexport const load = 1;\n' },
      expected: [/config \(layer 1\) imports server\/src\/main\.ts \(layer 5\)/],
    },
    {
      rule: "a value imported from the same layer",
      changes: { "server/src/errors/index.ts": `${OPENING}export { load as fail } from "../config/index.ts";\n` },
      expected: [/errors \(layer 1\) imports config \(layer 1\): within a layer only types/],
    },
    {
      rule: "modules of one layer that import types in a cycle",
      changes: {
        "server/src/errors/index.ts": `${OPENING}import type { L } from "../config/index.ts";\nexport const fail = 1 as L;\n`,
        "server/src/config/load.ts": 'import type { T } from "../time/index.ts";\nexport const load = 1 as T;\n',
        "server/src/time/index.ts": `${OPENING}export type { T } from "./clock.ts";\n`,
        "server/src/time/clock.ts": 'import type { F } from "../errors/index.ts";\nexport type T = F;\n',
      },
      expected: [/which imports it in turn/, /cycle/],
    },
    {
      rule: "an import that bypasses index.ts",
      changes: {
        "server/src/http/index.ts": `${OPENING}import { find } from "../auth/sql/find.ts";\nexport const a = find;\n`,
      },
      expected: [/http\/index\.ts:3: server\/src\/auth\/sql\/find\.ts is internal to auth/],
    },
    {
      rule: "a program that bypasses index.ts",
      changes: { "server/src/main.ts": 'import { load } from "./config/load.ts";\nvoid load;\n' },
      expected: [/main\.ts:1: server\/src\/config\/load\.ts is internal to config/],
    },
    {
      rule: "a tool that bypasses index.ts",
      changes: { "tools/check.ts": 'import { load } from "../server/src/config/load.ts";\nvoid load;\n' },
      expected: [/tools\/check\.ts:1: .* is internal to config/],
    },
    {
      rule: "a module that imports its own index.ts",
      changes: {
        "server/src/config/more.ts": 'import { load } from "./index.ts";\nexport const more = load;\n',
      },
      expected: [/more\.ts:1: a module never imports its own index\.ts/],
    },
    {
      rule: "a module without an index.ts",
      changes: { "server/src/limits/window.ts": "" },
      expected: [/^server\/src\/limits:1: the module has no entry point/],
    },
    {
      rule: "an index.ts without its comment",
      changes: { "server/src/errors/index.ts": "export const fail = 1;\n" },
      expected: [/errors\/index\.ts:1: an index\.ts begins with/],
    },
    {
      rule: "an index.ts that does not say what it is not in charge of",
      changes: { "server/src/errors/index.ts": "// In charge of: this.\nexport const fail = 1;\n" },
      expected: [/an index\.ts begins with/],
    },
    {
      rule: "an index.ts with a long comment",
      changes: { "server/src/errors/index.ts": `${OPENING}// a\n// b\n// c\n// d\nexport const fail = 1;\n` },
      expected: [/at most 5 lines, this one 6/],
    },
    {
      rule: "a cycle of files",
      changes: {
        "server/src/config/load.ts": 'import type { B } from "./b.ts";\nexport const load = 1 as B;\n',
        "server/src/config/b.ts": 'export * from "./c.ts";\n',
        "server/src/config/c.ts": 'export { load } from "./load.ts";\n',
      },
      expected: [/cycle: \S+load\.ts → \S+b\.ts → \S+c\.ts → \S+load\.ts/],
    },
    {
      rule: "a cycle of folders",
      changes: {
        "server/src/auth/keys/load.ts": 'import type { Find } from "../users/find.ts";\ntype Load = Find;\n',
        "server/src/auth/keys/key.ts": "export type Key = string;\n",
        "server/src/auth/users/find.ts": 'import type { Sent } from "../mail/send.ts";\nexport type Find = Sent;\n',
        "server/src/auth/mail/send.ts": 'import type { Key } from "../keys/key.ts";\nexport type Sent = Key;\n',
      },
      expected: [
        /^server\/src\/auth\/keys\/load\.ts:1: cycle in server\/src\/auth\/: keys → users → mail → keys: \S+load\.ts imports \S+find\.ts; \S+find\.ts imports \S+send\.ts; \S+send\.ts imports \S+key\.ts$/,
      ],
    },
    {
      rule: "a cycle of a file and a folder inside a folder",
      changes: {
        "server/src/auth/users/find.ts": 'export { row } from "./sql/row.ts";\n\n',
        "server/src/auth/users/sql/row.ts": 'export { name } from "../name.ts";\nexport const row = 1;\n',
        "server/src/auth/users/name.ts": 'export { text } from "./sql/text.ts";\nexport const name = 1;\n',
        "server/src/auth/users/sql/text.ts": "export const text = 1;\n",
      },
      expected: [/row\.ts:1: cycle in server\/src\/auth\/users\/: sql → name\.ts → sql: /],
    },
    {
      rule: "a cycle of folders in a library",
      changes: {
        "libraries/postgres/README.md": "",
        "libraries/postgres/test/a.test.ts": "",
        "libraries/postgres/src/index.ts": 'export type { Open } from "./pool/open.ts";\n',
        "libraries/postgres/src/pool/open.ts": 'import type { A } from "../server/start.ts";\nexport type Open = A;\n',
        "libraries/postgres/src/pool/size.ts": "export type Size = number;\n",
        "libraries/postgres/src/server/start.ts":
          'import type { Size } from "../pool/size.ts";\nexport type A = Size;\n',
      },
      expected: [/cycle in libraries\/postgres\/src\/: pool → server → pool/],
    },
    {
      rule: "a long source",
      changes: { "server/src/config/load.ts": `export const load = 1;\n${"\n".repeat(300)}` },
      expected: [/load\.ts:301: 301 lines; at most 300/],
    },
    {
      rule: "a long function, apart from tests",
      changes: {
        "server/src/config/load.ts": `export const load = 1;\nexport class Loader {\n  run() {${"\n".repeat(80)}}\n}\n`,
        "server/src/config/index.ts": `${OPENING}export { load } from "./load.ts";\n[].map(() => {${"\n".repeat(79)}});\n`,
        "server/test/config/load.test.ts": `import "../../src/config/load.ts";\n[].map(() => {${"\n".repeat(80)}});\n`,
        "console/src/data/rows.ts": `export function rows() {${"\n".repeat(80)}}\n`,
      },
      expected: [/config\/load\.ts:3: 81 lines; a function has at most 80/, /data\/rows\.ts:1: 81 lines/],
    },
    {
      rule: "a long function of the database without a reason, and a reason that is not needed any more",
      changes: {
        "server/functions/runs.sql": [
          `create or replace function private.end_runs() returns void\nlanguage sql as $$${"\n".repeat(80)}$$;`,
          `create or replace function private.start_run() returns void\nlanguage sql as $$${"\n".repeat(78)}$$;`,
          "create or replace function private.pause_run() returns void language sql as $body$ select '$$' $body$;",
          `create or replace function private.fan_out_events() returns void language sql as $$${"\n".repeat(80)}$$;`,
          "",
        ].join("\n\n"),
      },
      expected: [
        /runs\.sql:1: private\.end_runs has 82 lines; a function has at most 80, or is listed with a reason/,
        /runs\.sql:\d+: private\.pause_run is short: it is no exception any more/,
      ],
    },
    {
      rule: "a generic name",
      changes: {
        "server/src/config/utils.ts": "",
        "server/src/config/pool-manager.ts": "",
        "clients/sdk/src/common/a.ts": "",
      },
      expected: [/"utils" does not describe/, /"manager" does not describe/, /"common" does not describe/],
    },
    {
      rule: "a name that is not kebab-case",
      changes: { "server/src/config/loadAll.ts": "", "server/src/auth/Keys/a.ts": "", "server/src/auth/a_b.ts": "" },
      expected: [/"loadAll" is not kebab-case/, /"Keys" is not kebab-case/, /"a_b" is not kebab-case/],
    },
    {
      rule: "a name that two files of a package define",
      changes: {
        "server/src/auth/settle.ts": "export interface Scope {}\nexport function settle() {}\n",
        "server/src/errors/texts.ts":
          "type Scope = string;\nconst settle = 1;\nexport { type Scope, settle as end };\n",
        // Passed on, loaded late, in a test, in another package.
        "server/src/errors/index.ts": `${OPENING}export { settle as fail } from "../config/index.ts";\n`,
        "server/src/config/index.ts": `${OPENING}export const load = async () => (await import("./load.ts")).load();\n`,
        "server/test/auth/find.test.ts": "export const settle = 1;\n",
        "extensions/notes/src/a.ts": "export const a = 1;\nexport interface Scope {}\n",
      },
      expected: [
        /within a layer only types/,
        /texts\.ts:3: Scope is also defined in server\/src\/auth\/settle\.ts/,
        /auth\/settle\.ts:1: only this file uses Scope/,
        /notes\/src\/a\.ts:2: only this file uses Scope/,
      ],
    },
    {
      rule: "an exported type that only its own file uses",
      changes: {
        "server/src/auth/texts.ts":
          "export const texts = 1;\nexport interface Own {}\nexport type Used = Own;\nexport type Tested = 1;\n",
        "server/src/auth/codes.ts":
          'import { texts, type Used } from "./texts.ts";\nexport const codes: Used = texts;\n',
        "server/test/auth/texts.test.ts": 'import type { Tested } from "../../src/auth/texts.ts";\n',
      },
      expected: [/texts\.ts:2: only this file uses Own: do not export it/],
    },
    {
      rule: "a file that is not named for its one export",
      changes: {
        "server/src/auth/hasher.ts": "interface Options {}\nexport function createPasswordHasher() {}\n",
        "server/src/auth/codes.ts": "export const KNOWN_CODES = 1;\n",
        // The name, what a function makes, what it reads, a type, and a file with several values.
        "server/src/auth/mask-urls.ts": "export function maskUrls() {}\n",
        "server/src/auth/mailer.ts": 'import type { Clock } from "./clock.ts";\nexport function createMailer() {}\n',
        "server/src/auth/request-id.ts": "export function requestIdOf() {}\n",
        "server/src/auth/clock.ts": "export interface Clock {}\nexport const systemClock = 1;\n",
        "server/src/auth/texts.ts": "export const first = 1;\nexport const second = 2;\n",
        "extensions/notes/src/routes.ts": "export const noteRoutes = 1;\n",
      },
      expected: [
        /hasher\.ts:1: .* named create-password-hasher\.ts/,
        /codes\.ts:1: .* named known-codes\.ts/,
        /notes\/src\/routes\.ts:1: .* named note-routes\.ts/,
      ],
    },
    {
      rule: "a migration without number or words",
      changes: { "server/migrations/1_a.sql": "", "server/migrations/0002.sql": "" },
      expected: [/1_a\.sql:1: a migration is named/, /0002\.sql:1: a migration is named/],
    },
    {
      rule: "a released migration that was changed, deleted, or has a new one before it",
      changes: {
        "server/migrations/0003_kept.sql": "select 3;\n",
        "server/migrations/0002_late.sql": "select 2;\n",
        "server/migrations/0004_new.sql": "select 4;\n",
        "extensions/notes/sql/migrations/0001_notes.sql": "select 1;\n",
        "tools/released-migrations.json": JSON.stringify({
          "server/migrations/0000_gone.sql": "0",
          "server/migrations/0001_agents.sql": "0",
          ...hashMigrations(new Map([["server/migrations/0003_kept.sql", "select 3;\n"]])),
        }),
      },
      expected: [
        /0000_gone\.sql:1: this migration is released and was deleted/,
        /0001_agents\.sql:1: this migration is released and was changed/,
        /0002_late\.sql:1: the number of a new migration is higher than that of 0003_kept\.sql/,
      ],
    },
    {
      rule: "a long line of SQL",
      changes: {
        "server/migrations/0002_tools.sql": `-- ${"x".repeat(117)}\n-- ${"x".repeat(118)}\n`,
        "server/functions/tools.sql": `\nselect ${"x".repeat(200)};\n`,
      },
      expected: [/0002_tools\.sql:2: 121 characters/, /functions\/tools\.sql:2: 208 characters/],
    },
    {
      rule: "SQL outside its folders",
      changes: {
        "server/src/auth/index.ts": `${OPENING}export const texts = ["select now()", \`insert into \${x} (a)\`, "update t set a = 1", 'delete from t'];\nconst x = 1;\n`,
      },
      expected: [/auth\/index\.ts:3: SQL text/, /SQL text/, /SQL text/, /SQL text/],
    },
    {
      rule: "an outgoing connection by import",
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
      rule: "an outgoing connection by call",
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
        // Runs in a browser.
        "extensions/notes/src/assets/page.js": 'await fetch("/index.json");\n',
      },
      expected: [/:3: fetch/, /:4: fetch/, /:5: WebSocket/, /:6: request/, /:7: connect/],
    },
    {
      rule: "the environment read in a module",
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
      rule: "TODO notes, in TypeScript and in SQL",
      changes: {
        "server/src/config/load.ts": 'export const load = "TODO in a text is fine";\n// TODO: later\n/* FIXME */\n',
        "server/migrations/0001_agents.sql": "-- fine\n-- TODO\n",
      },
      expected: [/load\.ts:2: no TODO/, /load\.ts:3: no TODO/, /0001_agents\.sql:2: no TODO/],
    },
    {
      rule: "an sdk that imports another workspace",
      changes: {
        "clients/sdk/src/index.ts":
          'export * from "swarmbase";\nexport * from "../../../server/src/config/index.ts";\n',
      },
      expected: [/sdk imports only its own files, not swarmbase/, /sdk imports only its own files, not server/],
    },
    {
      rule: "a console that imports the server, except the test support in tests",
      changes: {
        "console/test/support/instance.ts": [
          'import "../../../server/test/support/service.ts";',
          'import "../../../server/src/config/index.ts";',
          "",
        ].join("\n"),
        "console/src/main.tsx": 'import "../../server/test/support/service.ts";\n',
      },
      expected: [
        /instance\.ts:2: console imports only .* not server/,
        /main\.tsx:1: console imports only .* not server/,
      ],
    },
    {
      rule: "acceptance tests that import another workspace than the sdk",
      changes: {
        "acceptance/4.1-agents.test.ts":
          'import "@swarmbase/sdk";\nimport "@swarmbase/console";\nimport "swarmbase/extension";\n',
      },
      expected: [/acceptance imports only .* not @swarmbase\/console/, /acceptance imports only .* not swarmbase/],
    },
    {
      rule: "a workspace imported by path",
      changes: { "server/src/errors/index.ts": `${OPENING}export * from "../../../clients/sdk/src/index.ts";\n` },
      expected: [/server imports only @swarmbase\/sdk, libraries\/, its own files, not clients\/sdk\/src\/index\.ts/],
    },
    {
      rule: "a library that imports the service, or the files of another library",
      changes: {
        "libraries/postgres/README.md": "",
        "libraries/postgres/src/index.ts": [
          'export * from "@swarmbase/sdk";',
          'export * from "@swarmbase/queue";',
          'export * from "swarmbase/extension";',
          'export * from "@swarmbase/notes";',
          'export * from "../../queue/src/queue.ts";',
        ].join("\n"),
        "libraries/postgres/test/a.test.ts": 'import "../../../server/test/support/start.ts";\n',
        "libraries/queue/README.md": "",
        "libraries/queue/src/index.ts": 'export { queue } from "./queue.ts";\n',
        "libraries/queue/src/queue.ts": "export const queue = 1;\n",
        "libraries/queue/test/a.test.ts": "",
        "server/src/config/load.ts": 'export { queue as load } from "@swarmbase/queue";\n',
      },
      expected: [
        /index\.ts:3: libraries\/postgres imports only @swarmbase\/sdk, libraries\/, its own files, not swarmbase\/extension/,
        /index\.ts:4: .* not @swarmbase\/notes/,
        /index\.ts:5: .* not libraries\/queue\/src\/queue\.ts/,
      ],
    },
    {
      rule: "an example that imports the service past the port; its tests use the test support",
      changes: {
        "examples/script/ask.ts":
          'import "@swarmbase/sdk";\nimport "swarmbase/extension";\nimport "@swarmbase/notes";\n',
        "examples/test/examples.test.ts": 'import "../../server/test/support/start.ts";\n',
      },
      expected: [/ask\.ts:3: examples imports only .* not @swarmbase\/notes/],
    },
    {
      rule: "an extension that imports the core past the port",
      changes: {
        "extensions/notes/src/a.ts": [
          'export * from "swarmbase";',
          'export * from "../../../server/src/config/index.ts";',
          'export const a = import("swarmbase/src/db/index.ts");',
          'export type { Route } from "../../../server/src/http/index.ts";',
        ].join("\n"),
      },
      expected: [
        /a\.ts:1: extensions\/notes imports only @swarmbase\/sdk, swarmbase\/extension, its own files, not swarmbase/,
        /a\.ts:2: extensions\/notes imports only/,
        /a\.ts:3: extensions\/notes imports only/,
        /a\.ts:4: extensions\/notes imports only/,
      ],
    },
    {
      rule: "an extension that imports another",
      changes: {
        "extensions/notes/src/a.ts": 'export * from "@swarmbase/other";\nexport * from "../../other/src/b.ts";\n',
        "extensions/other/README.md": "",
        "extensions/other/src/index.ts": 'export { b } from "./b.ts";\n',
        "extensions/other/src/b.ts": "export const b = 1;\n",
        "extensions/other/test/b.test.ts": "",
      },
      expected: [/a\.ts:1: .* not @swarmbase\/other/, /a\.ts:2: .* not extensions\/other\/src\/b\.ts/],
    },
    {
      rule: "a client package that imports the port of extensions, Node.js or the core",
      changes: {
        "clients/react/README.md": "",
        "clients/react/src/index.ts": [
          'export * from "@swarmbase/sdk";',
          'export * from "@swarmbase/sdk/ai";',
          'export * from "react";',
          'export * from "swarmbase/extension";',
          'export * from "node:crypto";',
        ].join("\n"),
        "clients/react/test/a.test.ts":
          'import "../../../server/test/support/start.ts";\nimport "../../../console/test/support/browser.ts";\nimport "@swarmbase/react";\n',
      },
      expected: [
        /index\.ts:5: node:crypto exists only in Node\.js/,
        /index\.ts:4: clients\/react imports only @swarmbase\/sdk, its own files, not swarmbase\/extension/,
      ],
    },
    {
      rule: "an initializer that imports other packages of ours; its template may",
      changes: {
        "clients/create-swarmbase/README.md": "",
        "clients/create-swarmbase/src/index.ts": 'export * from "@swarmbase/sdk";\nexport * from "node:fs";\n',
        "clients/create-swarmbase/template/src/main.tsx":
          'import "@swarmbase/react";\nexport const a = [process.env, fetch("https://a.example")];\n',
        "clients/create-swarmbase/test/a.test.ts": "",
      },
      expected: [/src\/index\.ts:1: clients\/create-swarmbase imports only its own files, not @swarmbase\/sdk/],
    },
    {
      rule: "an sdk that imports Node.js, or the server beyond its test support",
      changes: {
        "clients/sdk/src/index.ts": 'import "node:fs";\n',
        "clients/sdk/test/a.test.ts":
          'import "../../../server/test/support/database.ts";\nimport "../../../server/src/config/index.ts";\n',
      },
      expected: [/sdk\/src\/index\.ts:1: node:fs exists only/, /sdk imports only its own files, not server/],
    },
    {
      rule: "an extension that reads the environment, connects by itself or has SQL outside its folders",
      changes: {
        "extensions/notes/src/a.ts": 'export const a = [process.env, fetch("https://a.example"), "select now()"];\n',
      },
      expected: [/a\.ts:1: the environment/, /a\.ts:1: fetch opens .*context\.fetch/, /a\.ts:1: SQL text/],
    },
    {
      rule: "an extension without entry point, page and tests",
      changes: { "extensions/bare/src/a.ts": "" },
      expected: [
        /extensions\/bare\/:1: .*entry point/,
        /extensions\/bare\/:1: .*page/,
        /extensions\/bare\/:1: .*tests/,
      ],
    },
    {
      rule: "a core that imports an extension",
      changes: { "server/src/config/load.ts": 'export { extension as load } from "@swarmbase/notes";\n' },
      expected: [/server imports only .* not @swarmbase\/notes/],
    },
    {
      rule: "a test of an extension that imports sources of the core",
      changes: { "extensions/notes/test/notes.test.ts": 'import "../../../server/src/config/index.ts";\n' },
      expected: [/notes\.test\.ts:1: extensions\/notes imports only/],
    },
    {
      rule: "a source that imports a test",
      changes: { "server/src/config/load.ts": 'export * from "../../test/support/database.ts";\n' },
      expected: [/server\/test\/support\/database\.ts is a test/],
    },
  ];
  for (const { rule, changes, expected } of faulty) {
    it(`reports ${rule}`, () => {
      const faults = faultsWith(changes);
      assert.equal(faults.length, expected.length, faults.join("\n"));
      for (const pattern of expected)
        assert.ok(
          faults.some((text) => pattern.test(text)),
          `${pattern}\n${faults.join("\n")}`,
        );
    });
  }

  it("throws on a file that cannot be parsed", () => {
    assert.throws(() => faultsWith({ "server/src/config/load.ts": "const = ;" }), /load\.ts/);
  });

  it("exits with an error on a faulty tree, and without one on a good tree", async () => {
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
      await assert.rejects(run(), /server\/src\/config\/helpers\.ts:1: "helpers" does not describe/);
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
