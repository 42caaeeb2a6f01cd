import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@supabase/supabase-js";
import { attach, isExactPrompt, listPromptSeqs, resolvePrompt, respond, signal } from "@swarmbase/sdk";
import { openAdmin } from "./support/clients.ts";
import { newPerson, type Person } from "./support/people.ts";
import { waitForRun } from "./support/runs.ts";
import { add, addSwarmAgent, read, SIMULATED } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";

/** Runs the JavaScript examples of the guides unchanged, with the variables that each page assumes. */
const GUIDES = join(import.meta.dirname, "../docs/guides");
/** Blocks that begin with the name of a file are programs of their own, which other tests run. */
const BLOCK = /^```js\n(?!\/\/ [\w.-]+\.mjs\n)([\s\S]*?)^```$/gm;

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

/** The examples of a guide, or of its part below or above a heading. */
async function readBlocks(guide: string, part: { below?: string; above?: string } = {}): Promise<string[]> {
  const whole = await readFile(join(GUIDES, guide), "utf8");
  const heading = part.below ?? part.above;
  const [above = "", below = ""] = heading === undefined ? [whole] : whole.split(`\n${heading}\n`);
  const page = part.below === undefined ? above : below;
  const blocks = [...page.matchAll(BLOCK)].map(([, text = ""]) => text);
  assert.ok(blocks.length > 0, `${guide} has no examples`);
  return blocks;
}

async function run(text: string, names: Names): Promise<void> {
  const body = text
    .replace(/^import .*$/gm, "")
    .replace(/^export /gm, "")
    .replaceAll("bob@example.com", bob.email);
  const file = join(folder, `${randomUUID()}.mjs`);
  await writeFile(file, `export default async ({ ${Object.keys(names).join(", ")} }) => {\n${body}\n};\n`);
  const { default: example } = (await import(pathToFileURL(file).href)) as {
    default: (names: Names) => Promise<void>;
  };
  await example(names);
  assert.deepEqual(refusals.splice(0), []);
}

const RECORDS = "## Records of tool calls";
const quiet = { log: () => {} };
const quietProcess = { stdout: { write: () => {} } };
const names = (more: Names = {}): Names => ({ supabase: ada.client, console: quiet, process: quietProcess, ...more });
const ignore = (): void => {};

test("beyond: the examples for agents run without changes", async () => {
  await run((await readBlocks("agents.md")).join("\n"), names({ attach, respond }));
});

test("beyond: the examples for serving customers run without changes", async () => {
  const { client: customer } = await newPerson(service, { fetch: watchingFetch });
  await run((await readBlocks("serve-customers.md")).join("\n"), names({ admin: openAdmin(service), customer }));
});

test("beyond: the examples for runs run without changes", async () => {
  const id = await add(ada, "swarms", { name: "Room" });
  const agent = { id: await addSwarmAgent(ada, id, "Critic") };
  for (const block of await readBlocks("runs.md")) await run(block, names({ swarm: { id }, agent }));
});

test("beyond: the examples for swarms and members run without changes", async () => {
  await run((await readBlocks("swarms.md")).join("\n"), names({ bob: bob.client }));
});

test("beyond: the examples for long work and for events of the app run without changes", async () => {
  const agent = { id: await add(ada, "agents", { name: "Patient" }) };
  const [assign = "", send = ""] = await readBlocks("long-work.md");
  await run(assign, names({ agent }));
  const message = '/tool wait_for_event {"name":"report.ready","seconds":600}';
  const { data } = await ada.client.functions.invoke<{ run_id: string }>("agent-respond", {
    body: { agent_id: agent.id, message },
  });
  await run(send, names({ signal, run_id: data?.run_id }));
  const { error } = await openAdmin(service)
    .from("event_types")
    .insert({ name: "app.order.paid", description: "Paid" });
  assert.equal(error, null);
  for (const block of await readBlocks("app-events.md")) await run(block, names());
});

test("beyond: the example for the portal of webhooks runs without changes", async () => {
  await run((await readBlocks("webhook-portal.md")).join("\n"), names({ admin: openAdmin(service), user_id: ada.id }));
});

test("beyond: the examples for schedules run without changes", async () => {
  const agent = { id: await add(ada, "agents", { name: "Reporter" }) };
  const blocks = await readBlocks("schedules.md");
  assert.equal(blocks.length, 3);
  // The second one uses what the first one has made.
  await run(blocks.join("\n"), names({ agent }));
  const { data } = await ada.client.from("agent_tools").select("tools(name)").eq("agent_id", agent.id);
  assert.deepEqual(
    data
      ?.map(({ tools }) => tools)
      .map((tool) => (tool as unknown as { name: string }).name)
      .toSorted(),
    ["schedule", "unschedule"],
  );
});

test("beyond: the examples for triggers run without changes, and the program calls the trigger", async () => {
  const printed: string[] = [];
  const console = { log: (value: string) => void printed.push(value) };
  const agent = { id: await add(ada, "agents", { name: "Called" }) };
  const blocks = await readBlocks("triggers.md");
  assert.equal(blocks.length, 5);
  const serviceUrl = service.credentials.url;
  const signingSecret = "whsec_from_the_page_of_stripe";
  // Each uses what those before it have made.
  await run(blocks.join("\n"), names({ console, agent, serviceUrl, signingSecret }));
  const { data: made } = await ada.client
    .from("triggers")
    .insert({ name: "Shop", agent_id: agent.id, message: "Order {{id}}", verification: "hmac" })
    .select("id")
    .single();
  const { data: stored } = await ada.client.functions.invoke("triggers", {
    body: { action: "set_secret", trigger_id: made?.id },
  });
  const [, program = ""] =
    /^```js\n(\/\/ call-trigger\.mjs\n[\s\S]*?)^```$/m.exec(await readFile(join(GUIDES, "triggers.md"), "utf8")) ?? [];
  const file = join(folder, "call-trigger.mjs");
  await writeFile(file, program);
  const env = {
    ...process.env,
    TRIGGER_URL: `${serviceUrl}/triggers/v1/${made?.id}`,
    TRIGGER_SECRET: stored.secret,
    NODE_EXTRA_CA_CERTS: service.credentials.ca_cert_file ?? "",
  };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  assert.match(stdout, /^202 \{\s+call_id: '[0-9a-f-]{36}',\s+is_duplicate: false\s+\}/);
  const { data: calls } = await ada.client.from("trigger_calls").select("payload").eq("trigger_id", String(made?.id));
  assert.deepEqual(calls, [{ payload: { id: "order-1017", total: 59.9 } }]);
  assert.deepEqual(printed, [`${serviceUrl}/triggers/v1/${printed[0]?.split("/").at(-1)}`]);
});

test("beyond: the examples for sub-tasks run without changes", async () => {
  const printed: unknown[] = [];
  const console = { log: (value: unknown) => void printed.push(value) };
  const agent_id = await add(ada, "agents", { name: "Writer" });
  // The second one asks the agent that the first one has given the tool.
  await run((await readBlocks("sub-tasks.md")).join("\n"), names({ console, agent_id }));
  assert.deepEqual(printed, [["Finder", "Checker"]]);
});

test("beyond: the examples for tools and webhooks run without changes", async () => {
  const agent_id = await add(ada, "agents", { name: "Ann" });
  for (const block of await readBlocks("tools.md", { above: RECORDS }))
    await run(block.replaceAll("…", "..."), names({ agent_id }));
  const swarm_id = await add(ada, "swarms", { name: "Bridge" });
  await addSwarmAgent(ada, swarm_id, "Ann");
  const { data } = await ada.client.functions.invoke("agent-respond", { body: { swarm_id, message: "Is it open?" } });
  const webhookId = await add(ada, "webhooks", {
    name: "Chart",
    url: "https://receiver.example.com/",
    events: ["agent.created"],
    is_active: false,
  });
  for (const block of await readBlocks("webhooks.md")) await run(block, names({ run: data, webhookId }));
});

test("beyond: the examples for approvals and records of tool calls run without changes", async () => {
  const [guardTool = "", list = "", subscribe = "", approve = ""] = await readBlocks("approvals.md");
  await run(guardTool, names());
  const [tool] = await read(ada, "/tools?name=eq.publish");
  const swarmId = await add(ada, "swarms", { name: "Newsroom" });
  const agentId = await addSwarmAgent(ada, swarmId, "Ann");
  await add(ada, "agent_tools", { agent_id: agentId, tool_id: String(tool?.["id"]) });
  await run(subscribe, names());
  const call = { swarm_id: swarmId, message: '/tool publish {"title":"Bridge open"}' };
  const { data } = await ada.client.functions.invoke<{ run_id: string; status: string }>("agent-respond", {
    body: call,
  });
  assert.equal(data?.status, "requires_action");
  const given = { user: { id: ada.id }, run: data, runId: data.run_id };
  await run(list, names(given));
  const [execution] = await read(ada, `/tool_executions?run_id=eq.${data.run_id}`);
  await run(approve, names({ ...given, tool_execution_id: execution?.["id"] }));
  for (const block of await readBlocks("tools.md", { below: RECORDS })) await run(block, names(given));
  const [turn] = await read(ada, `/run_turns?run_id=eq.${data.run_id}`);
  const traced = { ...given, swarmId, turnId: turn?.["id"], isExactPrompt, listPromptSeqs, resolvePrompt };
  for (const block of await readBlocks("tracing.md")) await run(block, names(traced));
  await ada.client.removeAllChannels();
});

test("beyond: the examples for guardrails run without changes", async () => {
  const shown: unknown[] = [];
  const console = { log: (value: unknown) => void shown.push(value) };
  await run((await readBlocks("guardrails.md")).join("\n"), names({ console }));
  assert.match(String(shown[0]), /Pay with \[card\], please/);
  const flag = { source: "guardrail", category: "No card numbers", reason: "The text matches the pattern." };
  assert.deepEqual(shown[1], [flag]);
  assert.match(String(shown[2]), /^whsec_/);
});

test("beyond: the examples for tools of the client run without changes", async () => {
  const swarm_id = await add(ada, "swarms", { name: "Map" });
  const agent_id = await addSwarmAgent(ada, swarm_id, "Ann");
  const [ask = "", submit = "", addRow = ""] = await readBlocks("client-tools.md");
  await run([ask, submit].join("\n"), names({ swarm_id }));
  const [started] = await read(ada, `/runs?swarm_id=eq.${swarm_id}&select=id`);
  await waitForRun(ada, String(started?.["id"]));
  const [call] = await read(ada, `/tool_executions?run_id=eq.${String(started?.["id"])}&select=status`);
  assert.equal(call?.["status"], "succeeded");
  await run(addRow, names({ agent_id }));
});

test("beyond: the examples for evals run without changes", async () => {
  for (const block of await readBlocks("evals.md")) await run(block, names());
});

test("beyond: the examples for realtime run without changes", async () => {
  const webhook = { name: "Hook", url: "https://example.com/hook", events: ["agent.deleted"], is_active: false };
  const given = {
    agentId: await add(ada, "agents", { name: "Ann" }),
    webhookId: await add(ada, "webhooks", webhook),
    userId: ada.id,
    draw: ignore,
    show: ignore,
    reload: ignore,
  };
  for (const block of await readBlocks("realtime.md")) {
    await run(block, names(given));
    await ada.client.removeAllChannels();
  }
});

test("beyond: the examples for signed requests run without changes", async () => {
  for (const block of await readBlocks("signed-requests.md"))
    await run(block, names({ createHmac, secret: "s", body: "{}" }));
});

test("beyond: the examples for browser apps run without changes", async () => {
  const { client, email } = await newPerson(service, { fetch: watchingFetch });
  const given = { supabase: client, createClient, ANON_KEY: service.credentials.anon_key };
  const shown = { show: ignore, enter: ignore, render: ignore, askForNewPassword: ignore };
  const password = "correct horse 7";
  const [make = "", signUp = "", ...others] = await readBlocks("browser-apps.md", {
    above: "## Server-side rendering",
  });
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

test("beyond: the example for changes of an account runs without changes", async () => {
  const prompt = () => assert.fail("the session has just signed in");
  for (const block of await readBlocks("accounts.md")) await run(block, { supabase: ada.client, prompt });
});

test("beyond: the examples for sign-in providers call the paths of each provider", async () => {
  const shown: string[] = [];
  const names = { supabase: bob.client, idToken: "a.b.c", nonce: "once", show: (code: string) => shown.push(code) };
  for (const block of await readBlocks("sign-in-providers.md")) await run(block, names);
  // The service of this file has no provider. Without a browser, a sign-in only makes its address.
  assert.deepEqual(shown, ["oauth_provider_not_supported", "oauth_provider_not_supported"]);
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

test("beyond: every guide with JavaScript examples is tested here, or in the file that runs its examples", async () => {
  const source = await readFile(import.meta.filename, "utf8");
  const others = await Promise.all(
    ["5-ssr.test.ts", "../server/test/auth/passkeys-client.test.ts"].map((file) =>
      readFile(join(import.meta.dirname, file), "utf8"),
    ),
  );
  for (const guide of await readdir(GUIDES)) {
    const page = await readFile(join(GUIDES, guide), "utf8");
    const isTested =
      source.includes(`readBlocks("${guide}"`) || others.some((text) => text.includes(`docs/guides/${guide}"`));
    if (page.search(BLOCK) !== -1) assert.ok(isTested, guide);
  }
});
