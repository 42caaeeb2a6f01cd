import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import packageJson from "../../package.json" with { type: "json" };
import { fileURLToPath } from "node:url";
import { migrate } from "../../src/db/index.ts";
import { runHere } from "../support/run-here.ts";
import { createTestDatabase } from "../support/database.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const NOTES = fileURLToPath(new URL("fixtures/notes/index.ts", import.meta.url));

test("a command of an extension runs with its settings, the input and the database", async (t) => {
  const { adminUrl, masterKey, owner } = await createTestDatabase(t);
  const dir = fileURLToPath(new URL("fixtures/notes/sql/", import.meta.url));
  const extensions = [{ schema: "ext_notes", dir, tables: ["note_pins"] }];
  await migrate({ adminUrl, masterKey, observer: silentObserver, settings: { agentLimitPerUser: 100 }, extensions });
  const user = "00000000-0000-4000-8000-000000000001";
  await owner.query("insert into auth.users (id, email) values ($1, 'ada@example.org')", [user]);
  await owner.query("insert into ext_notes.notes (user_id, text) values ($1, 'one'), ($1, 'two')", [user]);
  const dataDir = await createTemporaryFolder(t, "swarmbase-command-");
  const env = { EXTENSIONS: NOTES, NOTES_MAX: "5", DATABASE_URL: adminUrl, MASTER_KEY: masterKey, DATA_DIR: dataDir };

  const counted = await runHere(["count-notes"], env, "typed");
  assert.deepEqual([counted.code, counted.stderr], [0, ""]);
  const expected = { role: "swarmbase_owner", notes: 2, max: 5, port: 0, version: packageJson.version, input: "typed" };
  assert.deepEqual(JSON.parse(counted.stdout), expected);
  assert.equal((await runHere(["count-notes", "--archived"], env)).code, 3);

  const wrong = await runHere(["count-notes", "--all"], env);
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /Unknown option '--all'[^]*Usage: swarmbase count-notes/);
  assert.match((await runHere(["help"], env)).stdout, /^ {2}count-notes {2,}count the notes$/m);
  assert.equal(
    (await runHere(["help", "count-notes"], env)).stdout,
    "swarmbase count-notes: count the notes\n\nUsage: swarmbase count-notes [--archived]\n",
  );
  assert.match((await runHere(["count-notes"], { ...env, EXTENSIONS: "" })).stderr, /^Unknown command "count-notes"/);
});

test("an extension adds a mode to a command that takes modes, and to no other", async (t) => {
  const folder = await createTemporaryFolder(t, "swarmbase-command-");
  const write = async (name: string): Promise<{ EXTENSIONS: string; DATA_DIR: string }> => {
    const file = join(folder, `${name}.mjs`);
    const command = `{ name: "${name}", modeOptions: ["twice"], summary: "s", help: "Usage: twice", async run() { return 7; } }`;
    await writeFile(
      file,
      `export const extension = { name: "mode", summary: "s", docs: new URL(import.meta.url), commands: [${command}] };`,
    );
    return { EXTENSIONS: file, DATA_DIR: join(folder, "none") };
  };
  const env = await write("backup");
  assert.equal((await runHere(["backup", "--twice"], env)).code, 7);
  assert.equal((await runHere(["backup"], env)).code, 1);
  assert.match((await runHere(["help", "backup"], env)).stdout, /Usage: swarmbase backup [^]*Usage: twice/);
  assert.doesNotMatch((await runHere(["help"], env)).stdout, /^ {2}backup +s$/m);
  const other = await write("keys");
  assert.match((await runHere(["help"], other)).stdout, /EXTENSIONS: the command keys takes no modes/);
});

test("an extension cannot replace a command of the core", async (t) => {
  const folder = await createTemporaryFolder(t, "swarmbase-command-");
  const file = join(folder, "thief.mjs");
  const command = `{ name: "keys", summary: "s", help: "h", async run() { return 7; } }`;
  await writeFile(
    file,
    `export const extension = { name: "thief", summary: "s", docs: new URL(import.meta.url), commands: [${command}] };`,
  );
  assert.match(
    (await runHere(["help"], { EXTENSIONS: file })).stdout,
    /EXTENSIONS: the command keys is one of the core/,
  );
  assert.equal((await runHere(["keys"], { EXTENSIONS: file })).code, 2);
});
