import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createClient } from "@supabase/supabase-js";
import { openAdmin } from "./support/clients.ts";
import { NEEDS_DATABASE } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import { add, findTool, SIMULATED, addSwarmAgent } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";
import { runSql } from "./support/sql.ts";

/** Runs the JavaScript examples of the guides unchanged, with the variables that each page assumes. */
const GUIDES = join(import.meta.dirname, "../docs/guides");
const BLOCK = /^```js\n([\s\S]*?)^```$/gm;
/** A table name of this file, because other tests on the same service see the table. */
const NOTES = `notes_${randomUUID().slice(0, 8)}`;

type Names = Record<string, unknown>;

let service: Service;
let folder = "";
let ada: Person;
let bob: Person;
/** Errors of requests that the examples make, because the examples do not check them. */
const refusals: string[] = [];

const watchingFetch: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init);
  if (answer.status >= 400) refusals.push(`${answer.url}: ${answer.status} ${await answer.clone().text()}`);
  return answer;
};

before(async () => {
  service = await startService(SIMULATED);
  folder = await mkdtemp(join(tmpdir(), "swarmbase-guides-"));
  [ada, bob] = await Promise.all([newPerson(service, { fetch: watchingFetch }), newPerson(service)]);
});
after(async () => {
  await ada?.client.removeAllChannels();
  await rm(folder, { recursive: true, force: true });
  await service?.stop();
});

async function readBlocks(guide: string): Promise<string[]> {
  const page = await readFile(join(GUIDES, guide), "utf8");
  const blocks = [...page.matchAll(BLOCK)].map(([, text = ""]) => text);
  assert.ok(blocks.length > 0, `${guide} has no examples`);
  return blocks;
}

async function run(text: string, names: Names): Promise<void> {
  const body = text
    .replace(/^import .*$/gm, "")
    .replace(/^export /gm, "")
    .replaceAll("bob@example.com", bob.email)
    .replaceAll(/\bnotes\b(?=[("])/g, NOTES);
  const file = join(folder, `${randomUUID()}.mjs`);
  await writeFile(file, `export default async ({ ${Object.keys(names).join(", ")} }) => {\n${body}\n};\n`);
  const { default: example } = (await import(pathToFileURL(file).href)) as {
    default: (names: Names) => Promise<void>;
  };
  await example(names);
  assert.deepEqual(refusals.splice(0), []);
}

const quiet = { log: () => {} };
const quietProcess = { stdout: { write: () => {} } };
const names = (more: Names = {}): Names => ({ supabase: ada.client, console: quiet, process: quietProcess, ...more });
const ignore = (): void => {};

test("beyond: the examples for agents run without changes", async () => {
  await run((await readBlocks("agents.md")).join("\n"), names());
});

test("beyond: the examples for swarms run without changes", async () => {
  const id = await add(ada, "swarms", { name: "Room" });
  await addSwarmAgent(ada, id, "Critic");
  for (const block of await readBlocks("swarms.md")) await run(block, names({ swarm: { id } }));
});

test("beyond: the examples for swarms and members run without changes", async () => {
  await run((await readBlocks("swarms-and-members.md")).join("\n"), names({ bob: bob.client }));
});

test("beyond: the examples for tools and webhooks run without changes", async () => {
  const agent_id = await add(ada, "agents", { name: "Ann" });
  for (const block of await readBlocks("tools.md")) await run(block.replaceAll("…", "..."), names({ agent_id }));
  for (const block of await readBlocks("webhooks.md")) await run(block, names());
});

test("beyond: the examples for your own tables run without changes", { skip: NEEDS_DATABASE }, async (t) => {
  const sql = /^```sql\n([\s\S]*?)^```$/m.exec(await readFile(join(GUIDES, "tables.md"), "utf8"))?.[1] ?? "";
  await runSql(service, sql.replaceAll("public.notes", `public.${NOTES}`));
  t.after(() => runSql(service, `drop table public.${NOTES}`));
  const given = { agent_id: await add(ada, "agents", { name: "Ann" }), agentId: randomUUID() };
  const toolId = await findTool(ada, "calculator");
  for (const block of await readBlocks("tables.md")) await run(block, names({ ...given, toolId }));
});

test("beyond: the examples for realtime run without changes", async () => {
  const given = { agentId: await add(ada, "agents", { name: "Ann" }), userId: ada.id, draw: ignore, show: ignore };
  for (const block of await readBlocks("realtime.md")) {
    await run(block, names(given));
    await ada.client.removeAllChannels();
  }
});

test("beyond: the examples for signed requests run without changes", async () => {
  for (const block of await readBlocks("limits.md")) await run(block, names({ createHmac, secret: "s", body: "{}" }));
});

test("beyond: the examples for browser apps run without changes", async () => {
  const { client, email } = await newPerson(service, { fetch: watchingFetch });
  const given = { supabase: client, createClient, ANON_KEY: service.credentials.anon_key };
  const shown = { show: ignore, enter: ignore, render: ignore, askForNewPassword: ignore };
  const password = "correct horse 7";
  const [make = "", signUp = "", ...others] = await readBlocks("browser-apps.md");
  await run(make, { createClient, ANON_KEY: "key" });
  await run(signUp, names({ ...given, ...shown, email: `new-${email}`, password }));
  for (const block of others) {
    await client.auth.signInWithPassword({ email, password });
    const isChange = block.includes("updateUser({ password })");
    await run(
      block,
      names({ ...given, ...shown, email, code: "", password: isChange ? `${password} or 8` : password }),
    );
    if (isChange) await client.auth.updateUser({ password });
  }
});

test("beyond: the examples for migrating run without changes", async () => {
  const encrypted_password = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
  const row = { id: randomUUID(), email: `moved-${ada.email}`, encrypted_password, email_confirmed_at: "2026-01-01" };
  const meta = { raw_user_meta_data: { full_name: "Moved" }, raw_app_meta_data: {} };
  for (const block of await readBlocks("migrating-from-supabase.md"))
    await run(block, { admin: openAdmin(service), row: { ...row, ...meta } });
  const { data } = await openAdmin(service).auth.admin.getUserById(row.id);
  assert.equal(data.user?.user_metadata["full_name"], "Moved");
});

test("beyond: every guide with JavaScript examples is tested here", async () => {
  const source = await readFile(import.meta.filename, "utf8");
  for (const guide of await readdir(GUIDES)) {
    const hasBlocks = /^```js$/m.test(await readFile(join(GUIDES, guide), "utf8"));
    if (hasBlocks) assert.ok(source.includes(`readBlocks("${guide}")`), guide);
  }
});
