import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { type ExtensionCommandContext, UsageError } from "swarmbase/extension";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { type CommandResult, runHere } from "../../../server/test/support/interface.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { extension } from "../src/index.ts";
import { editFile, readFiles, writeFiles } from "./support/folder.ts";
import { openPeople, type Person } from "./support/people.ts";

const TOOL_SECRET = "tool-secret-4711";
const HEADER_SECRET = "header-secret-0815";
const VARIABLES = {
  TOOL_FIND_ORDER_API_TOKEN: TOOL_SECRET,
  WEBHOOK_MY_APP_AUTHORIZATION: `Bearer ${HEADER_SECRET}`,
};

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let dataDir: string;
let credentials: ServiceHere["credentials"];
let people: Awaited<ReturnType<typeof openPeople>>;
/** Everything that any command printed. */
const printed: string[] = [];

type Input = AsyncIterable<string> | string;

/** A command as the program runs it, over connections that all of them share: opening them takes longer than most commands. */
async function run(person: Person, args: readonly string[], env = {}, input: Input = ""): Promise<CommandResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [name, ...rest] = args;
  const { run: runCommand } = extension.commands?.find((each) => each.name === name) ?? assert.fail(name);
  const context = {
    args: rest,
    env: { SWARMBASE_ACCESS_TOKEN: person.token, ...VARIABLES, ...env },
    stdin: Readable.from(typeof input === "string" ? [input] : input),
    stdout,
    stderr,
    signal: new AbortController().signal,
    findCredentials: async () => credentials,
    openFetch: () => ({ fetch: people.fetch, close: async () => {} }),
  };
  const code = await runCommand(context as unknown as ExtensionCommandContext).catch((error: unknown) => {
    stderr.write(error instanceof Error ? error.message : String(error));
    return error instanceof UsageError ? 2 : 1;
  });
  stdout.end();
  stderr.end();
  const result = { code, stdout: await text(stdout), stderr: await text(stderr) };
  printed.push(result.stdout, result.stderr);
  return result;
}

/** Fails unless the command succeeds. */
async function succeed(person: Person, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(person, args);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stdout;
}

async function exitCodeOfPlan(person: Person, folder: string, ...args: readonly string[]): Promise<number | null> {
  return (await run(person, ["plan", "--dir", folder, "--detailed-exitcode", ...args])).code;
}

function newFolder(): Promise<string> {
  return createTemporaryFolder(cleanup, "swarmbase-code-");
}

/** A user with one of everything, made without the commands. */
async function createOffice(): Promise<Person & { readonly agentId: string; readonly swarmId: string }> {
  const owner = await people.signUp();
  const tool = await owner.insert("tools", {
    name: "find_order",
    description: "Looks up an order.",
    config: { url: "https://shop.example.com/{number}", auth: { type: "bearer", secret: "api_token" } },
    input_schema: { type: "object", properties: { number: { type: "string" } } },
    secrets: { api_token: TOOL_SECRET },
  });
  const ada = await owner.insert("agents", {
    name: "Ada",
    description: "Answers questions\nabout orders.",
    starter_questions: ["Where is my order?", "yes"],
    system_prompt: "You answer.\n\n  $" + "{env:HOME} is a text.\nBe brief: *really*.  \n",
    settings: { temperature: 0.2, stop: ["END"], note: { deep: [1, null, "yes", "1.0"] } },
  });
  const twin = await owner.insert("agents", { name: "Ada", role: "Twin", model: null });
  const [calculator] = await owner.list("tools", "name=eq.calculator");
  await owner.insert("agent_tools", { agent_id: ada.id, tool_id: tool.id, configuration: { timeout_ms: 5000 } });
  await owner.insert("agent_tools", { agent_id: ada.id, tool_id: calculator?.["id"], enabled: false });
  const swarm = await owner.insert("swarms", { name: "Support", strategy: "supervisor", status: "paused" });
  await owner.insert("swarm_agents", { swarm_id: swarm.id, agent_id: twin.id, position: 3 });
  await owner.insert("swarm_agents", { swarm_id: swarm.id, agent_id: ada.id, position: 7, role_override: "Lead" });
  await owner.update("swarms", `id=eq.${swarm.id}`, { coordinator_agent_id: ada.id });
  await owner.insert("swarm_members", { swarm_id: swarm.id, email: "carl@example.com", role: "viewer" });
  await owner.insert("webhooks", {
    name: "My app",
    url: "https://app.example.com/hook",
    events: ["message.created", "agent.error"],
    headers: { Authorization: VARIABLES.WEBHOOK_MY_APP_AUTHORIZATION },
    retry_count: 0,
  });
  return { ...owner, agentId: ada.id, swarmId: swarm.id };
}

/** A user whose agent, tool and swarm come from files. */
async function createApplied(): Promise<{ readonly person: Person; readonly folder: string }> {
  const [person, folder] = [await people.signUp(), await newFolder()];
  await writeFiles(folder, {
    "tools/lookup.yaml": "key: lookup\nname: lookup\ndescription: Looks up.\n",
    "agents/ada.yaml": "key: ada\nname: Ada # her name\nsettings: { temperature: 0.5 }\ntools:\n  lookup: {}\n",
    "agents/max.yaml": "key: max\nname: Max\n",
    "swarms/desk.yaml": "key: desk\nname: Desk\nagents:\n  - agent: ada\n  - agent: max\ncoordinator: max\n",
  });
  await succeed(person, "apply", "--dir", folder, "--yes");
  return { person, folder };
}

describe("pull, plan and apply on a running service", () => {
  before(async () => {
    dataDir = await createTemporaryFolder(cleanup, "swarmbase-code-");
    const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
    const FUNCTIONS_FILE = join(dataDir, "functions.json");
    await writeFiles(dataDir, { "functions.json": '{ "pay": "http://127.0.0.1:9/" }' });
    const env = { DATABASE_URL, MASTER_KEY, FUNCTIONS_FILE, FUNCTIONS_SECRET: "f".repeat(32) };
    ({ credentials } = await startServiceHere(cleanup, { dataDir, env }));
    people = await openPeople(credentials);
    cleanup.after(() => people.close());
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("files that were pulled give other users the same, and applying them again changes nothing", async () => {
    const [office, first] = [await createOffice(), await newFolder()];
    // Creates a private swarm, which the files do not describe.
    const asked = await office.call("POST", "/functions/v1/agent-respond", {
      agent_id: office.agentId,
      message: "Hello",
    });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    assert.equal((await office.list("swarms")).length, 2);
    await succeed(office, "pull", "--dir", first);
    const pulled = await readFiles(first);
    assert.equal(await exitCodeOfPlan(office, first), 0);

    const [second, copy] = [await people.signUp(), await newFolder()];
    assert.equal(await exitCodeOfPlan(second, first), 2);
    await succeed(second, "apply", "--dir", first, "--yes");
    const stored = await second.list("agents");
    assert.match(await succeed(second, "apply", "--dir", first, "--yes"), /^No changes/m);
    assert.deepEqual(await second.list("agents"), stored);
    await succeed(second, "pull", "--dir", copy);
    const copied = await readFiles(copy);
    // Only rows that were not made from files need their id.
    const withoutIds = Object.entries(pulled).map(([file, text]) => [file, text.replace(/^id: .*\n/m, "")]);
    assert.deepEqual(copied, Object.fromEntries(withoutIds));
    assert.equal(Object.keys(copied).length, 5);
    const tools = await second.list("tools", "name=eq.find_order");
    assert.deepEqual(tools[0]?.["secret_names"], ["api_token"]);
    const [webhook] = await second.list("webhooks");
    assert.deepEqual(webhook?.["headers"], { Authorization: VARIABLES.WEBHOOK_MY_APP_AUTHORIZATION });

    const [third, last] = [await people.signUp(), await newFolder()];
    await succeed(third, "apply", "--dir", copy, "--yes");
    await succeed(third, "pull", "--dir", last);
    assert.deepEqual(await readFiles(last), copied);
    const files = Object.values({ ...pulled, ...copied }).join("\n");
    for (const secret of [TOOL_SECRET, HEADER_SECRET, "whsec_"]) assert.ok(!files.includes(secret), files);
  });

  test("a new name in a file renames the row, and pull keeps keys, comments and file names", async () => {
    const { person, folder } = await createApplied();
    const [before] = await person.list("agents", "name=eq.Ada");
    await editFile(folder, "agents/ada.yaml", (text) => text.replace("name: Ada", "name: Eve").replace("0.5", "0.9"));
    const { code, stdout } = await run(person, ["plan", "--dir", folder]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^~ agent {7}ada {2}agents\/ada\.yaml\n {4}name: "Ada" → "Eve"\n {4}settings\.temperature: 0\.5 → 0\.9\n\nPlan: 0 to create, 1 to update, 0 to delete, 6 unchanged\.$/m,
    );
    await succeed(person, "apply", "--dir", folder, "--yes");
    assert.deepEqual((await person.list("agents", "name=eq.Eve"))[0]?.["id"], before?.["id"]);

    await editFile(folder, "swarms/desk.yaml", (text) => `${text}status: active\n`);
    await person.update("swarms", "name=eq.Desk", { description: "For orders" });
    await person.update("agents", "name=eq.Eve", { role: "Guide", settings: { temperature: 0.9, top_p: 0.5 } });
    const refused = await run(person, ["pull", "--dir", folder], {}, "no\n");
    assert.deepEqual([refused.code, refused.stdout.includes("~ agents/ada.yaml")], [1, true]);
    await succeed(person, "pull", "--dir", folder, "--yes");
    const files = await readFiles(folder);
    assert.equal(
      files["agents/ada.yaml"],
      "key: ada\nname: Eve # her name\nsettings: { temperature: 0.9, top_p: 0.5 }\ntools:\n  lookup: {}\nrole: Guide\n",
    );
    assert.match(files["swarms/desk.yaml"] ?? "", /^status: active\ndescription: For orders$/m);
    assert.match(await succeed(person, "pull", "--dir", folder), /^0 written, 0 removed, 4 unchanged\.$/m);
  });

  test("links follow the files: order, coordinator, assignments", async () => {
    const { person, folder } = await createApplied();
    await editFile(
      folder,
      "swarms/desk.yaml",
      () => "key: desk\nname: Desk\nagents:\n  - agent: max\n  - agent: ada\n    enabled: false\ncoordinator: ada\n",
    );
    await editFile(folder, "agents/ada.yaml", (text) =>
      text.replace("lookup: {}", "lookup: { configuration: { limit: 3 } }\n  builtin/current_time: {}"),
    );
    await succeed(person, "apply", "--dir", folder, "--yes");
    assert.equal(await exitCodeOfPlan(person, folder), 0);
    const swarms = await person.list("swarms", "select=*,swarm_agents(position,enabled,agent_cards(name))");
    const agents = swarms[0]?.["swarm_agents"] as {
      position: number;
      enabled: boolean;
      agent_cards: { name: string };
    }[];
    assert.deepEqual(
      agents.toSorted((one, other) => one.position - other.position).map((row) => [row.agent_cards.name, row.enabled]),
      [
        ["Max", true],
        ["Ada", false],
      ],
    );
    const [ada] = await person.list("agents", "name=eq.Ada");
    assert.equal(swarms[0]?.["coordinator_agent_id"], ada?.["id"]);
    const assignments = await person.list("agent_tools", "select=configuration,tool(name)");
    assert.deepEqual(assignments.map((row) => JSON.stringify(row)).sort(), [
      '{"configuration":{"limit":3},"tool":{"name":"lookup"}}',
      '{"configuration":{},"tool":{"name":"current_time"}}',
    ]);
  });

  test("nothing is deleted without --delete", async () => {
    const { person, folder } = await createApplied();
    await person.insert("agents", { name: "Made elsewhere \u001b[31m" });
    await editFile(folder, "agents/ada.yaml", () => "key: ada\nname: Ada\n");
    await editFile(folder, "swarms/desk.yaml", () => "key: desk\nname: Desk\nagents:\n  - agent: ada\n");
    const planned = await succeed(person, "plan", "--dir", folder);
    assert.match(planned, /^- assignment {2}ada → lookup {2}agents\/ada\.yaml {2}\(kept; --delete removes it\)$/m);
    assert.match(planned, /^- agent {7}"Made elsewhere \\u001b\[31m" \([0-9a-f-]+\) {2}\(kept;/m);
    assert.ok(!planned.includes("\u001b"));
    await succeed(person, "apply", "--dir", folder, "--yes");
    assert.equal(await exitCodeOfPlan(person, folder), 0);
    assert.equal((await person.list("agents")).length, 3);
    assert.equal((await person.list("agent_tools")).length, 1);

    assert.equal(await exitCodeOfPlan(person, folder, "--delete"), 2);
    await succeed(person, "apply", "--dir", folder, "--yes", "--delete");
    assert.deepEqual(
      (await person.list("agents")).map((row) => row["name"]),
      ["Ada", "Max"],
    );
    assert.deepEqual(await person.list("agent_tools"), []);
    assert.equal((await person.list("swarm_agents")).length, 1);
    assert.equal(await exitCodeOfPlan(person, folder, "--delete"), 0);
  });

  test("asks before it applies, and changes nothing without a yes", async () => {
    const { person, folder } = await createApplied();
    await editFile(folder, "agents/max.yaml", (text) => `${text}role: Critic\n`);
    for (const input of ["", "y\n", "no\n"]) {
      const { code, stdout } = await run(person, ["apply", "--dir", folder], {}, input);
      assert.deepEqual([code, stdout.includes('role: null → "Critic"')], [1, true]);
    }
    assert.equal((await person.list("agents", "role=eq.Critic")).length, 0);
    assert.equal((await run(person, ["apply", "--dir", folder], {}, "yes\n")).code, 0);
    assert.equal((await person.list("agents", "role=eq.Critic")).length, 1);
  });

  test("what changed after the plan is not overwritten", async () => {
    const { person, folder } = await createApplied();
    await editFile(
      folder,
      "agents/ada.yaml",
      (text) => `${text.replace("lookup: {}", "lookup: { enabled: false }")}role: Mine\n`,
    );
    await editFile(folder, "agents/max.yaml", (text) => `${text}role: Critic\n`);
    await editFile(folder, "swarms/desk.yaml", (text) =>
      text.replace("- agent: max", "- agent: max\n    role_override: Mine"),
    );
    async function* answer() {
      await person.update("agents", "name=eq.Ada", { role: "Theirs" });
      await person.update("agent_tools", "enabled=eq.true", { configuration: { theirs: true } });
      await person.update("swarm_agents", "position=eq.1", { role_override: "Theirs" });
      yield "yes\n";
    }
    const { code, stdout } = await run(person, ["apply", "--dir", folder], {}, answer());
    assert.equal(code, 1);
    for (const name of ["agent ada", "assignment ada → lookup", "swarm agent desk → max"])
      assert.match(stdout, new RegExp(`^failed {3}update ${name}: it was changed or deleted since the plan`, "m"));
    assert.match(stdout, /^done {5}update agent max$/m);
    assert.match(stdout, /^1 done, 3 failed, 0 skipped\. The next apply continues/m);
    assert.deepEqual(
      (await person.list("agents")).map((row) => row["role"]),
      ["Theirs", "Critic"],
    );
    assert.deepEqual((await person.list("agent_tools"))[0]?.["enabled"], true);
    await succeed(person, "apply", "--dir", folder, "--yes");
    assert.equal(await exitCodeOfPlan(person, folder), 0);
  });

  test("an assignment with a configuration too long for a URL is not overwritten either", async () => {
    const { person, folder } = await createApplied();
    const [long, theirs] = ["x".repeat(20_000), "y".repeat(20_000)];
    await person.update("agent_tools", "enabled=eq.true", { configuration: { long } });
    async function* answer() {
      await person.update("agent_tools", "enabled=eq.true", { configuration: { theirs } });
      yield "yes\n";
    }
    const { code, stdout } = await run(person, ["apply", "--dir", folder], {}, answer());
    assert.equal(code, 1);
    assert.match(stdout, /^failed {3}update assignment ada → lookup: it was changed or deleted since the plan/m);
    assert.deepEqual((await person.list("agent_tools"))[0]?.["configuration"], { theirs });
    await succeed(person, "apply", "--dir", folder, "--yes");
    assert.deepEqual((await person.list("agent_tools"))[0]?.["configuration"], {});
  });

  test("pull does not overwrite the file of another key", async () => {
    const [person, folder] = [await people.signUp(), await newFolder()];
    await writeFiles(folder, { "agents/Ada.yaml": "key: eve\nname: Eve\n" });
    await person.insert("agents", { name: "Ada" });
    assert.match(await succeed(person, "pull", "--dir", folder), /^\+ agents\/ada-2\.yaml$/m);
    const files = await readFiles(folder);
    assert.deepEqual(Object.keys(files), ["agents/Ada.yaml", "agents/ada-2.yaml"]);
    assert.match(files["agents/ada-2.yaml"] ?? "", /^key: ada\n/);
  });

  test("a change that the service rejects is reported with its line, and the next apply continues", async () => {
    const { person, folder } = await createApplied();
    await writeFiles(folder, {
      "agents/eve.yaml": "key: eve\nname: Eve\nmodel: no-such-model\ntools:\n  lookup: {}\n",
      "tools/far.yaml":
        "key: far\nname: far\ndescription: Far away.\nconfig:\n  method: GET\n  url: http://10.0.0.1/\n",
      "webhooks/app.yaml": "key: app\nname: App\nurl: https://app.example.com/\nevents: [agent.error]\n",
    });
    const { code, stdout } = await run(person, ["apply", "--dir", folder, "--yes"]);
    assert.equal(code, 1);
    assert.match(stdout, /^failed {3}create tool far: .*\n {9}tools\/far\.yaml:6 config\.url /m);
    assert.match(stdout, /^failed {3}create agent eve: .*agents\/eve\.yaml:3/ms);
    assert.match(stdout, /^skipped {2}create assignment eve → lookup, because agent eve failed$/m);
    assert.match(stdout, /^done {5}create webhook app$/m);
    await editFile(folder, "agents/eve.yaml", (text) => text.replace("model: no-such-model\n", ""));
    await editFile(folder, "tools/far.yaml", (text) => text.replace("http://10.0.0.1/", "https://far.example.com/"));
    const rest = await succeed(person, "apply", "--dir", folder, "--yes");
    assert.match(rest, /^Plan: 3 to create, 0 to update, 0 to delete, 8 unchanged\.$/m);
    assert.equal(await exitCodeOfPlan(person, folder), 0);
  });

  test("secrets are written when names, host or --write-secrets ask for it, and needed only then", async () => {
    const [office, folder] = [await createOffice(), await newFolder()];
    await succeed(office, "pull", "--dir", folder);
    const unset = { TOOL_FIND_ORDER_API_TOKEN: "", WEBHOOK_MY_APP_AUTHORIZATION: "" };
    const plan = (...args: string[]) => run(office, ["plan", "--dir", folder, "--detailed-exitcode", ...args], unset);
    const compared = await plan();
    assert.equal(compared.code, 0);
    assert.match(compared.stdout, /webhooks\/my-app\.yaml:\d+ headers\.Authorization was not compared/);

    const rewritten = await plan("--write-secrets");
    assert.equal(rewritten.code, 2);
    assert.match(rewritten.stdout, /^ {4}secrets\.api_token: \(secret\) written again$/m);
    assert.match(rewritten.stdout, /^Not set: TOOL_FIND_ORDER_API_TOKEN\. `apply` needs them\.$/m);
    assert.equal((await run(office, ["apply", "--dir", folder, "--yes", "--write-secrets"], unset)).code, 1);

    await editFile(folder, "webhooks/my-app.yaml", (text) => text.replace("name: My app", "name: Renamed"));
    await editFile(folder, "tools/find_order.yaml", (text) => text.replace("shop.example.com", "shop.example.org"));
    assert.match((await plan()).stdout, /secrets\.api_token: \(secret\) written again/);
    await succeed(office, "apply", "--dir", folder, "--yes");
    const [tool] = await office.list("tools", "name=eq.find_order");
    assert.deepEqual(tool?.["secret_names"], ["api_token"]);
    const [webhook] = await office.list("webhooks");
    assert.deepEqual(webhook?.["headers"], { Authorization: VARIABLES.WEBHOOK_MY_APP_AUTHORIZATION });
    const rotated = await run(office, ["plan", "--dir", folder], {
      WEBHOOK_MY_APP_AUTHORIZATION: "Bearer rotated-value",
    });
    assert.match(rotated.stdout, /^ {4}headers\.Authorization: \(secret\) written again$/m);
    assert.ok(!rotated.stdout.includes("rotated-value"));
  });

  test("people are invited once, also when they have accepted", async () => {
    const { person, folder } = await createApplied();
    const guest = await people.signUp();
    await people.prove(guest);
    const desk = "key: desk\nname: Desk\nagents:\n  - agent: ada\n  - agent: max\ncoordinator: max\n";
    await writeFiles(folder, { "swarms/desk.yaml": `${desk}members:\n  - email: ${guest.email.toUpperCase()}\n` });
    await succeed(person, "apply", "--dir", folder, "--yes");
    assert.equal(await exitCodeOfPlan(person, folder), 0);
    await guest.update("swarm_members", "status=eq.invited", { status: "active" });

    const { code, stdout } = await run(person, ["plan", "--dir", folder, "--detailed-exitcode"]);
    assert.deepEqual([code, /has no open invitation, .*user: [0-9a-f-]+.*Nobody was invited/.test(stdout)], [0, true]);
    await succeed(person, "apply", "--dir", folder, "--yes", "--delete");
    assert.equal((await person.list("swarm_members")).length, 2, "a person who may be the invited one is not removed");
    const asService = { SWARMBASE_ACCESS_TOKEN: "", SWARMBASE_OWNER: person.email };
    const known = await run(person, ["plan", "--dir", folder, "--detailed-exitcode"], asService);
    assert.deepEqual([known.code, known.stdout.includes("has no open invitation")], [0, false]);

    await succeed(person, "pull", "--dir", folder, "--yes");
    assert.match((await readFiles(folder))["swarms/desk.yaml"] ?? "", new RegExp(`^ {2}- user: ${guest.id}$`, "m"));
    await editFile(folder, "swarms/desk.yaml", (text) => `${text.trimEnd()}\n    role: admin\n`);
    await succeed(person, "apply", "--dir", folder, "--yes");
    assert.equal((await guest.list("swarm_members", "role=eq.admin"))[0]?.["user_id"], guest.id);
    await writeFiles(folder, { "swarms/desk.yaml": desk });
    await succeed(person, "apply", "--dir", folder, "--yes", "--delete");
    assert.equal((await person.list("swarm_members")).length, 2, "people are left alone without members in the file");
    await writeFiles(folder, { "swarms/desk.yaml": `${desk}members: []\n` });
    await succeed(person, "apply", "--dir", folder, "--yes", "--delete");
    assert.equal((await person.list("swarm_members")).length, 1);
  });

  test("files find rows that were made elsewhere by their names, and pull records the ids", async () => {
    const [person, folder] = [await people.signUp(), await newFolder()];
    const made = await person.insert("agents", { name: "Ada" });
    await writeFiles(folder, { "agents/first.yaml": "key: first\nname: Ada\nrole: Guide\n" });
    assert.match(await succeed(person, "apply", "--dir", folder, "--yes"), /first\.yaml stands for an existing agent/);
    assert.deepEqual(
      (await person.list("agents")).map(({ id, role }) => [id, role]),
      [[made.id, "Guide"]],
    );
    await succeed(person, "pull", "--dir", folder, "--yes");
    assert.match((await readFiles(folder))["agents/first.yaml"] ?? "", new RegExp(`^id: ${made.id}$`, "m"));
    await editFile(folder, "agents/first.yaml", (text) => text.replace("name: Ada", "name: Eve"));
    await succeed(person, "apply", "--dir", folder, "--yes");
    assert.deepEqual(
      (await person.list("agents")).map(({ id, name }) => [id, name]),
      [[made.id, "Eve"]],
    );

    await person.insert("agents", { name: "Twin" });
    await person.insert("agents", { name: "Twin" });
    await writeFiles(folder, { "agents/twin.yaml": "key: twin\nname: Twin\n" });
    const { code, stderr } = await run(person, ["plan", "--dir", folder]);
    assert.equal(code, 1);
    assert.match(stderr, /agents\/twin\.yaml:2 name is the name of 2 agents of the service: add the id/);
  });

  test("signs in with a password, a token, or the service role for an owner", async () => {
    const { person, folder } = await createApplied();
    const plan = ["plan", "--dir", folder, "--detailed-exitcode"];
    const none = { SWARMBASE_ACCESS_TOKEN: "" };
    const withPassword = { ...none, SWARMBASE_EMAIL: person.email, SWARMBASE_PASSWORD: person.password };
    const before = await person.call("GET", "/auth/v1/sessions");
    for (const env of [
      {},
      withPassword,
      { ...none, SWARMBASE_OWNER: person.email },
      { ...none, SWARMBASE_OWNER: person.id },
    ]) {
      const { code, stdout, stderr } = await run(person, plan, env);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.ok(stdout.includes(`as ${person.email}, folder`));
    }
    assert.deepEqual(await person.call("GET", "/auth/v1/sessions"), before);
    const failures: [Record<string, string>, RegExp][] = [
      [none, /There are several users: name one with --owner/],
      [{ ...withPassword, SWARMBASE_PASSWORD: "wrong password" }, /^Could not sign in as .*: /],
      [{ ...withPassword, SWARMBASE_PASSWORD: "" }, /^SWARMBASE_PASSWORD is not set/],
      [{ ...none, SWARMBASE_OWNER: randomUUID() }, /^There is no user with the id /],
      [{ SWARMBASE_OWNER: person.email }, /^Name one of: an access token/],
      [{ SWARMBASE_URL: "http://localhost:1" }, /^The URL of the service must use https/],
      [{ SWARMBASE_URL: "https://localhost:1", SWARMBASE_ANON_KEY: "k" }, /^https:\/\/localhost:1 does not answer: /],
    ];
    for (const [env, expected] of failures) {
      const { code, stderr } = await run(person, plan, env);
      assert.equal(code, 1);
      assert.match(stderr, expected);
    }
  });

  test("the program finds the service, its keys and its authority in the data directory", async () => {
    const { person, folder } = await createApplied();
    const env = { DATA_DIR: dataDir, SWARMBASE_ACCESS_TOKEN: person.token };
    const { code, stdout, stderr } = await runHere(["plan", "--dir", folder, "--detailed-exitcode"], env);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^No changes: 7 compared\.$/m);
    const elsewhere = { ...env, DATA_DIR: join(dataDir, "none") };
    assert.match(
      (await runHere(["plan", "--dir", folder], elsewhere)).stderr,
      /^No service is named: set SWARMBASE_URL/,
    );
    const named = { ...elsewhere, SWARMBASE_URL: credentials.url, SWARMBASE_ANON_KEY: credentials.anon_key };
    assert.match((await runHere(["plan", "--dir", folder], named)).stderr, /does not answer: .*certificate/);
    const trusted = { ...named, SWARMBASE_CA_FILE: credentials.ca_cert_file ?? "" };
    assert.equal((await runHere(["plan", "--dir", folder], trusted)).code, 0);
    assert.equal((await runHere(["apply", "--nonsense"], env)).code, 2);
  });

  test("the service role creates rows of the owner", async () => {
    const [person, folder] = [await people.signUp(), await newFolder()];
    await writeFiles(folder, {
      "tools/lookup.yaml": "key: lookup\nname: lookup\ndescription: Looks up.\n",
      "agents/ada.yaml": "key: ada\nname: Ada\ntools: { lookup: {}, builtin/calculator: {} }\n",
      "swarms/desk.yaml":
        "key: desk\nname: Desk\nagents: [{ agent: ada }]\ncoordinator: ada\nmembers: [{ email: a@example.com }]\n",
      "webhooks/app.yaml": "key: app\nname: App\nurl: https://app.example.com/\nevents: [agent.error]\n",
    });
    const env = { SWARMBASE_ACCESS_TOKEN: "", SWARMBASE_OWNER: person.email };
    const applied = await run(person, ["apply", "--dir", folder, "--yes"], env);
    assert.deepEqual([applied.code, applied.stderr], [0, ""], applied.stdout);
    assert.equal(await exitCodeOfPlan(person, folder), 0);
    assert.equal((await run(person, ["plan", "--dir", folder, "--detailed-exitcode"], env)).code, 0);
  });

  test("the service role publishes agents of an account that apply creates", async () => {
    const [customer, folder] = [await people.signUp(), await newFolder()];
    const owner = `app-${randomUUID()}@example.com`;
    const env = { SWARMBASE_ACCESS_TOKEN: "", SWARMBASE_OWNER: owner };
    const grants = [
      "grants:",
      "  - audience: everyone",
      "    runs_per_day: 5",
      '  - { audience: claim, claim: { plan: pro }, expires_at: "2099-01-01T01:00:00+01:00" }',
      `  - { audience: user, email: ${customer.email.toUpperCase()}, payer: asker }`,
    ].join("\n");
    await writeFiles(folder, { "agents/support.yaml": `key: support\nname: Support\n${grants}\n` });
    const commands = (...args: readonly string[]) => run(customer, [...args, "--dir", folder], env);
    assert.match((await commands("pull")).stderr, /^There is no user with the e-mail address app-/);
    const planned = await commands("plan");
    assert.match(planned.stdout, /^\+ account {5}app-.*\n\+ agent {7}support/m);
    assert.match(planned.stdout, /^\+ grant {7}support → claim \{"plan":"pro"\} /m);
    assert.match(planned.stdout, /^Plan: 5 to create, 0 to update, 0 to delete, 0 unchanged\.$/m);
    assert.match((await commands("pull")).stderr, /^There is no user/, "a plan creates nothing");
    const applied = await commands("apply", "--yes");
    assert.equal(applied.code, 0, applied.stdout + applied.stderr);
    assert.match((await commands("plan")).stdout, /^No changes: 4 compared\.$/m);
    const published = await customer.call("GET", "/rest/v1/published_agents?select=name,payer&name=eq.Support");
    assert.deepEqual(published.body, [{ name: "Support", payer: "owner" }]);
    assert.equal((await customer.list("agent_offers", "payer=eq.asker")).length, 1);

    await editFile(folder, "agents/support.yaml", (text) => text.replace("runs_per_day: 5", "runs_per_day: 6"));
    const changed = await commands("apply", "--yes");
    assert.match(changed.stdout, /^~ grant {7}support → everyone .*\n {4}runs_per_day: 5 → 6$/m);
    await editFile(folder, "agents/support.yaml", (text) => text.replace(/ {2}- \{ audience: claim.*\n/, ""));
    assert.match((await commands("plan")).stdout, /^- grant {7}support → claim .*kept; --delete removes it\)$/m);
    await commands("pull", "--yes");
    const { "agents/support.yaml": pulled = "" } = await readFiles(folder);
    assert.match(pulled, /claim:\s+plan: pro\s+expires_at: 2099-01-01T00:00:00.000Z/);
    assert.ok(pulled.toLowerCase().includes(`email: ${customer.email}`), pulled);
    assert.match((await commands("plan")).stdout, /^No changes: 4 compared\.$/m);
    const [elsewhere, empty] = [await newFolder(), await run(customer, ["pull", "--dir", folder, "--yes"])];
    assert.equal(empty.code, 0, "another account has other agents");
    assert.match((await run(customer, ["pull", "--dir", elsewhere], env)).stdout, /\+ agents\/support\.yaml/);
    assert.deepEqual((await readFiles(elsewhere))["agents/support.yaml"]?.match(/audience: \w+/g), [
      "audience: everyone",
      "audience: claim",
      "audience: user",
    ]);

    const refused = await run(customer, ["apply", "--dir", folder, "--yes"]);
    assert.match(refused.stderr, /grants\[2\].email cannot be looked up: only the service role may/);
    await writeFiles(folder, {
      "agents/support.yaml": "key: support\nname: Support\ngrants: [{ audience: everyone }]\n",
    });
    const own = await run(customer, ["apply", "--dir", folder, "--yes"]);
    assert.match(own.stdout, /^failed {3}create grant support → everyone: /m);
  });

  test("the service role vouches for tools that act for the asker, again when their owner has written them", async () => {
    const [person, folder] = [await people.signUp(), await newFolder()];
    await writeFiles(folder, {
      "tools/pay.yaml": "key: pay\nname: pay\ndescription: Pays.\nkind: function\nconfig: { function: pay }\n",
      "agents/ada.yaml": "key: ada\nname: Ada\nacts_for_askers: true\ntools:\n  pay: { approver: asker }\n",
    });
    const env = { SWARMBASE_ACCESS_TOKEN: "", SWARMBASE_OWNER: person.email };
    const asService = (...args: readonly string[]) => run(person, [...args, "--dir", folder], env);
    const readStates = async () => ({
      agent: (await person.list("agents"))[0]?.["acts_for_askers"],
      tool: (await person.list("tools", "owner_id=not.is.null"))[0]?.["is_vouched"],
      assignment: (await person.list("agent_tools"))[0]?.["is_vouched"],
      approver: (await person.list("agent_tools"))[0]?.["approver"],
    });
    const vouched = { agent: true, tool: true, assignment: true, approver: "asker" };
    const applied = await asService("apply", "--yes");
    assert.equal(applied.code, 0, applied.stdout + applied.stderr);
    assert.match(applied.stdout, /acts_for_askers: true/);
    assert.match(applied.stdout, /approver: "asker"/);
    assert.deepEqual(await readStates(), vouched);
    assert.match((await asService("plan")).stdout, /^No changes: 3 compared\.$/m);

    // The rows are again as the files describe them, but others may have used what was there in between.
    for (const description of ["Steals.", "Pays."]) await person.update("tools", "name=eq.pay", { description });
    for (const configuration of [{ amount: 1 }, {}])
      await person.update("agent_tools", "enabled=is.true", { configuration });
    assert.deepEqual(await readStates(), { ...vouched, tool: false, assignment: false });
    const planned = (await asService("plan")).stdout;
    assert.match(planned, /^~ tool {8}pay {2}tools\/pay\.yaml\n {4}is_vouched: false → true$/m);
    assert.match(planned, /^~ assignment {2}ada → pay {2}agents\/ada\.yaml\n {4}is_vouched: false → true$/m);
    assert.match((await asService("pull", "--yes")).stdout, /^0 written, 0 removed, 2 unchanged\.$/m);
    assert.equal(await exitCodeOfPlan(person, folder), 0, "a user cannot vouch");
    assert.equal((await asService("apply", "--yes")).code, 0);
    assert.deepEqual(await readStates(), vouched);

    const reference = `Pays $\{env:PAYEE}.`;
    await editFile(folder, "tools/pay.yaml", (text) => text.replace("Pays.", reference));
    const applyWith = (more: object) => run(person, ["apply", "--dir", folder, "--yes"], { ...env, ...more });
    assert.equal((await applyWith({ PAYEE: "Ann" })).code, 0);
    await person.update("tools", "name=eq.pay", { description: "Steals." });
    const unset = await applyWith({});
    assert.equal(unset.code, 1);
    assert.match(unset.stdout + unset.stderr, /PAYEE/);
    assert.deepEqual(await readStates(), { ...vouched, tool: false });
    assert.equal((await applyWith({ PAYEE: "Ann" })).code, 0);
    assert.deepEqual(await readStates(), vouched);

    const elsewhere = await newFolder();
    await run(person, ["pull", "--dir", elsewhere], env);
    const pulled = Object.values(await readFiles(elsewhere)).join("");
    for (const line of [/^kind: function$/m, /^ +function: pay$/m, /^acts_for_askers: true$/m, /^ +approver: asker$/m])
      assert.match(pulled, line);
    assert.doesNotMatch(pulled, /is_vouched/);

    await editFile(folder, "agents/ada.yaml", (text) => text.replace("acts_for_askers: true\n", ""));
    const own = await run(person, ["plan", "--dir", folder, "--detailed-exitcode"]);
    assert.equal(own.code, 0);
    assert.match(own.stdout, /acts_for_askers was not compared: only the service role writes it/);
    await editFile(folder, "agents/ada.yaml", (text) => text.replace("approver: asker", ""));
    assert.match((await asService("apply", "--yes")).stdout, /acts_for_askers: true → false/);
    assert.deepEqual(await readStates(), { ...vouched, agent: false, approver: null });
  });

  test("no command ever printed a secret", async () => {
    const output = printed.join("\n");
    assert.ok(output.length > 1_000);
    for (const secret of [TOOL_SECRET, HEADER_SECRET, "whsec_", "correct horse", "eyJ"])
      assert.ok(!output.includes(secret), secret);
  });
});
