import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionCommandContext } from "swarmbase/extension";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { type CommandResult, runHere } from "../../../server/test/support/interface.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { extension } from "../src/index.ts";
import { openPeople, type Person } from "./support/people.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let dataDir: string;
let credentials: ServiceHere["credentials"];
let file: string;
let people: Awaited<ReturnType<typeof openPeople>>;
let ada: Person;
let agentId: string;

const GUIDE = new URL("../../../docs/guides/evals.md", import.meta.url);
// Simulated replies end with eight random hexadecimal digits, which can contain a short number.
const CALCULATES = '/tool calculator {"expression": "123 * 456789"}';
const CASES = [
  { name: "repeats", input: "hello", expectation: { kind: "contains", texts: ["HELLO"], ignore_case: true } },
  { name: "calculates", input: CALCULATES, expectation: { kind: "tool_called", tool: "calculator" } },
  { name: "knows", input: CALCULATES, expectation: { kind: "contains", texts: ["56185047"] } },
];

const evaluate = (args: readonly string[], token = ada.token): Promise<CommandResult> =>
  runHere(["eval", ...args], { DATA_DIR: dataDir, SWARMBASE_ACCESS_TOKEN: token });

function maskChanging(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>").replaceAll(/ +\d+\.\d s/g, " <time>");
}

const writeCases = (cases: readonly object[], name = "support"): Promise<void> =>
  writeFile(file, JSON.stringify({ name, cases }));

async function assignCalculator(): Promise<void> {
  const [calculator] = await ada.list("tools", "name=eq.calculator");
  await ada.insert("agent_tools", { agent_id: agentId, tool_id: calculator?.["id"] });
}

interface Report {
  readonly eval_run_id: string;
  readonly agent_version: number;
  readonly baseline_run_id: string | null;
  readonly passed_count: number;
  readonly regression_count: number;
  readonly results: readonly { readonly case_name: string; readonly passed: boolean; readonly reason: string }[];
}

async function report(...args: string[]): Promise<Report & { readonly code: number | null }> {
  const { code, stdout, stderr } = await evaluate([...args, "--agent", agentId, "--json"]);
  assert.equal(stderr, "");
  return { ...(JSON.parse(stdout) as Report), code };
}

describe("swarmbase eval on a running service", () => {
  before(async () => {
    dataDir = await createTemporaryFolder(cleanup, "swarmbase-eval-");
    const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
    ({ credentials } = await startServiceHere(cleanup, { dataDir, env: { DATABASE_URL, MASTER_KEY } }));
    people = await openPeople(credentials);
    cleanup.after(() => people.close());
    file = join(await createTemporaryFolder(cleanup, "swarmbase-eval-"), "cases.json");
  });
  after(async () => {
    for (const close of closers) await close();
  });
  beforeEach(async () => {
    ada = await people.signUp();
    agentId = (await ada.insert("agents", { name: "Ada" })).id;
  });

  test("stores results, exits with 1 for a regression, and runs an earlier version as it was", async () => {
    await assignCalculator();
    await writeCases(CASES);
    const first = await evaluate([file, "--agent", "Ada"]);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /as .*, file .*cases\.json\n\nAda version 2\n\n/);
    assert.match(first.stdout, /^pass {8}repeats +\d+\.\d s$/m);
    assert.match(first.stdout, /^3 of 3 passed, nothing to compare with.* Eval run [0-9a-f-]{36}\.$/m);

    const [assignment] = await ada.list("agent_tools");
    await ada.call("DELETE", `/rest/v1/agent_tools?id=eq.${String(assignment?.["id"])}`);
    const second = await evaluate(["support", "--agent", agentId]);
    assert.equal(second.code, 1);
    assert.match(second.stdout, /^REGRESSION {2}calculates +\d+\.\d s {2}the agent called no tool, not calculator$/m);
    assert.match(second.stdout, /^1 of 3 passed, 2 regressions since version 2/m);

    const third = await report("support");
    assert.deepEqual([third.code, third.agent_version, third.regression_count], [1, 3, 2]);
    const pinned = await report("support", "--version", "2");
    assert.deepEqual([pinned.code, pinned.agent_version, pinned.passed_count], [0, 2, 3]);
    const accepted = await report("support", "--baseline", third.eval_run_id);
    assert.deepEqual([accepted.code, accepted.regression_count], [0, 0]);
    assert.deepEqual((await report("support")).baseline_run_id, accepted.eval_run_id);
    assert.equal((await report("support", "--strict")).code, 1);

    const runs = await ada.list("eval_runs", "select=agent_version,status,case_count,passed_count,regression_count");
    assert.deepEqual(runs.slice(0, 2), [
      { agent_version: 2, status: "completed", case_count: 3, passed_count: 3, regression_count: 0 },
      { agent_version: 3, status: "completed", case_count: 3, passed_count: 1, regression_count: 2 },
    ]);
    const results = await ada.list("eval_results", `eval_run_id=eq.${third.eval_run_id}&is_regression=is.true`);
    assert.deepEqual(results.map((result) => String(result["case_name"])).toSorted(), ["calculates", "knows"]);
    assert.ok(results.every((result) => Number(result["input_tokens"]) > 0 && result["run_id"] === null));
    assert.deepEqual(await ada.list("swarms"), [], "the conversations are hidden");
  });

  test("prints what the guide shows", async () => {
    const guide = await readFile(GUIDE, "utf8");
    const [, yaml = ""] = /^```yaml\n(name: support[\s\S]*?)^```$/m.exec(guide) ?? [];
    const shown = [...guide.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
    const guideFile = join(file, "../evals.yaml");
    await writeFile(guideFile, yaml);
    await assignCalculator();
    const first = await evaluate([guideFile, "--agent", "Ada", "--concurrency", "1"]);
    const [assignment] = await ada.list("agent_tools");
    await ada.call("DELETE", `/rest/v1/agent_tools?id=eq.${String(assignment?.["id"])}`);
    const second = await evaluate([guideFile, "--agent", "Ada", "--concurrency", "1"]);
    for (const [index, { stdout }] of [first, second].entries()) {
      // Below the commands and the address of the service.
      const linesOf = (text: string) =>
        maskChanging(text)
          .split("\n")
          .slice(text.indexOf("$") === 0 ? 2 : 1);
      assert.deepEqual(linesOf(stdout), linesOf((shown[index] ?? "").replace(/^\$ echo[^]*/m, "")));
    }
  });

  test("makes the dataset what the file says, and keeps the results of a case that it no longer has", async () => {
    await writeCases(CASES.slice(0, 2));
    await report(file);
    const [before] = await ada.list("eval_cases", "name=eq.repeats");
    await writeCases([{ ...CASES[2], name: "new" }, CASES[0] ?? {}]);
    const { results } = await report(file);
    assert.deepEqual(
      results.map((result) => result.case_name),
      ["new", "repeats"],
    );
    const cases = await ada.list("eval_cases", "select=id,name,position");
    assert.deepEqual(
      cases.toSorted((one, other) => Number(one["position"]) - Number(other["position"])).map((each) => each["name"]),
      ["new", "repeats"],
    );
    assert.ok(cases.some((each) => each["id"] === before?.["id"]));
    const kept = await ada.list("eval_results", "case_name=eq.calculates");
    assert.deepEqual([kept.length, kept[0]?.["case_id"], kept[0]?.["input"]], [1, null, CALCULATES]);
    const [dataset] = await ada.list("eval_datasets");
    await ada.call("DELETE", `/rest/v1/eval_datasets?id=eq.${String(dataset?.["id"])}`);
    assert.deepEqual(await ada.list("eval_results"), []);
  });

  test("checks JSON by a schema, and lets another agent judge", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    await ada.update("agents", `id=eq.${agentId}`, { settings: { response_schema: schema } });
    const judge = await ada.insert("agents", { name: "Judge" });
    // The simulated judge gives 0 and does not let the answer pass.
    const judged = (more: object) => ({ kind: "judge", criteria: "Names a city.", ...more });
    await writeCases([
      { name: "schema", input: "Where?", expectation: { kind: "schema", schema } },
      { name: "other", input: "Where?", expectation: { kind: "schema", schema: { type: "array" } } },
      { name: "judged", input: "Where?", expectation: judged({}) },
      { name: "scored", input: "Where?", expectation: judged({ agent_id: judge.id, min_score: 0 }) },
    ]);
    const unjudged = await evaluate([file, "--agent", agentId]);
    assert.deepEqual([unjudged.code, /"judged" needs a judge/.test(unjudged.stderr)], [2, true]);
    const { results } = await report(file, "--judge", "Judge", "--store");
    assert.deepEqual(
      results.map(({ passed, reason }) => [passed, reason]),
      [
        [true, "the answer satisfies the schema"],
        [false, "the answer must be array"],
        [false, "simulated"],
        [true, "simulated"],
      ],
    );
    const { status, body } = await ada.call("POST", "/functions/v1/check-answer", { schema: [], text: 1 });
    const details = { schema: "must be a JSON Schema", text: "must be a string" };
    assert.deepEqual([status, (body as { details: unknown }).details], [400, details]);
    assert.equal((await ada.list("swarms")).length, 4, "only the conversations of the agent are stored");
    const [run] = await ada.list("eval_results", "case_name=eq.schema&select=run_id");
    assert.equal((await ada.list("run_turns", `run_id=eq.${String(run?.["run_id"])}`))[0]?.["agent_version"], 2);
  });

  test("cancels a run that waits for an approval, and counts the call", async () => {
    const tool = await ada.insert("tools", {
      name: "find_order",
      description: "Looks up an order.",
      config: { url: "https://shop.example.com/orders" },
      requires_approval: true,
    });
    await ada.insert("agent_tools", { agent_id: agentId, tool_id: tool.id });
    const input = "/tool find_order {}";
    await writeCases([
      { name: "calls", input, expectation: { kind: "tool_called", tool: "find_order" } },
      { name: "answers", input, expectation: { kind: "contains", texts: ["order"] } },
    ]);
    const { results } = await report(file, "--store");
    assert.deepEqual(
      results.map(({ passed, reason }) => [passed, reason]),
      [
        [true, "the agent called find_order"],
        [false, "the run waits for somebody to answer its call of find_order"],
      ],
    );
    const statuses = (await ada.list("runs", "select=status")).map((run) => run["status"]);
    assert.deepEqual(statuses, ["cancelled", "cancelled"]);
  });

  test("needs the scopes read, write and run of an API key", async () => {
    await writeCases(CASES.slice(0, 1));
    const createKey = async (scopes: readonly string[]): Promise<string> => {
      const { body } = await ada.call("POST", "/functions/v1/api-keys", { action: "create", name: "ci", scopes });
      return (body as { key: string }).key;
    };
    const args = [file, "--agent", agentId];
    const { code, stderr } = await evaluate(args, await createKey(["read", "write", "run"]));
    assert.deepEqual([code, stderr], [0, ""]);
    const refused = await evaluate(args, await createKey(["read", "write"]));
    assert.equal(refused.code, 1);
    const [latest] = await ada.list("eval_runs", "status=neq.completed&select=status,finished_at");
    assert.equal(latest?.["status"], "failed");
    assert.notEqual(latest?.["finished_at"], null);
  });

  test("runs as the owner for the service role", async () => {
    await writeCases(CASES.slice(0, 1));
    const args = ["eval", file, "--agent", "Ada", "--owner", ada.email];
    const { code, stderr } = await runHere(args, { DATA_DIR: dataDir });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual((await ada.list("eval_runs", "select=status")).at(0), { status: "completed" });
    assert.equal((await ada.list("usage_records", `payer_id=eq.${ada.id}`)).length, 1);
  });

  test("cancels the runs of the agent and the eval run when the program has to end", async () => {
    await writeCases([{ name: "slow", input: "/sleep 600000", expectation: { kind: "exact", text: "" } }]);
    const controller = new AbortController();
    const { run } = extension.commands?.find(({ name }) => name === "eval") ?? assert.fail();
    const ended = run({
      args: [file, "--agent", agentId, "--store"],
      env: { SWARMBASE_ACCESS_TOKEN: ada.token },
      stdout: new PassThrough().resume(),
      stderr: new PassThrough().resume(),
      signal: controller.signal,
      now: () => new Date(),
      findCredentials: async () => credentials,
      openFetch: () => ({ fetch: people.fetch, close: async () => {} }),
    } as unknown as ExtensionCommandContext);
    const waitFor = async (status: string): Promise<void> => {
      while ((await ada.list("runs", `status=eq.${status}`)).length === 0) await sleep(20);
    };
    await waitFor("running");
    controller.abort();
    await assert.rejects(ended, { name: "AbortError" });
    const [row] = await ada.list("eval_runs");
    assert.deepEqual([row?.["status"], row?.["finished_at"] !== null], ["cancelled", true]);
    await waitFor("cancelled");
  });

  test("reports what is wrong with arguments, files and names before anything runs", async () => {
    const refusals: readonly [readonly string[], number, RegExp][] = [
      [["support"], 2, /--agent/],
      [["support", "--agent", "Ada", "--concurrency", "9"], 2, /--concurrency must be a number from 1 to 8/],
      [["support", "--agent", "Ada", "--baseline", "last"], 2, /--baseline must be the id/],
      [["support", "--agent", "Ada"], 1, /There is no dataset "support"/],
      [[file, "--agent", "Eve"], 1, /There is no agent "Eve"/],
      [[file, "--agent", "Ada", "--version", "7"], 1, /"Ada" has no version 7/],
      [[file, "--agent", "Ada", "--baseline", agentId], 1, /has no completed run/],
    ];
    await writeCases(CASES.slice(0, 1));
    for (const [args, code, message] of refusals) {
      const refused = await evaluate(args);
      assert.deepEqual([refused.code, message.test(refused.stderr)], [code, true], refused.stderr);
    }
    await writeCases([{ name: "a", input: "b", expectation: { kind: "contains", texts: [] } }], "faulty");
    const faulty = await evaluate([file, "--agent", "Ada"]);
    assert.match(faulty.stderr, /cases\.json:1 cases\[0\]\.expectation\.texts must be 1 to 50 strings/);
    assert.deepEqual(await ada.list("eval_runs"), []);
  });
});
