import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import type { EvalExpectation } from "@swarmbase/sdk";
import type { EvalCase } from "../src/data/eval-cases.ts";
import { EMPTY_CASE, formOf, renderCase } from "../src/pages/evals/case-draft.ts";
import { type ApiClient, getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, navigate } from "./support/people.ts";
import { waitUntil } from "./support/swarms.ts";

const test = createBrowserTest();

test("a dataset gets cases, shows the results of its runs, and is deleted", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/400|409/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await page.goto("/evals");
  await page.getByRole("heading", { name: "No datasets yet" }).waitFor();
  await checkAppearance(page, "evals-none");

  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Create dataset" }).click();
  await page.getByText("One field has an error").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("support");
  await page.getByLabel("Description").fill("What customers ask.");
  await checkAppearance(page, "evals-new");
  await page.getByRole("button", { name: "Create dataset" }).click();
  await page.getByRole("heading", { name: "No cases yet" }).waitFor();

  await page.getByRole("link", { name: "Add case" }).click();
  await page.getByLabel("Name", { exact: true }).fill("opening hours");
  await page.getByLabel("Input").fill("When do you open?");
  await page.getByRole("button", { name: "Add case" }).click();
  await page.getByText("Enter at least one text.").waitFor();
  await page.getByLabel("Text 1", { exact: true }).and(page.locator(":focus")).waitFor();
  await page.getByLabel("Input").pressSequentially(" Today?");
  assert.match(await page.getByLabel("Input").inputValue(), / Today\?/);
  await page.getByLabel("Input").fill("When do you open?");
  await page.getByLabel("Text 1", { exact: true }).fill("nine");
  await page.getByRole("button", { name: "Add text" }).click();
  await page.getByLabel("Text 2", { exact: true }).fill("five");
  await page.getByLabel("Ignore case").click();
  await checkAppearance(page, "evals-case");
  await page.getByRole("button", { name: "Add case" }).click();
  await page.getByRole("link", { name: "Edit the case opening hours" }).click();
  await page.getByLabel("Expectation", { exact: true }).selectOption("Judge");
  await page.getByLabel("Criteria").fill("Names the hours.");
  await page.getByLabel("Lowest score").fill("0.8");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("meets: Names the hours.").filter({ visible: true }).waitFor();
  const [stored] = (await api.call("GET", "/rest/v1/eval_cases")) as EvalCase[];
  assert.deepEqual(stored?.expectation, { kind: "judge", criteria: "Names the hours.", min_score: 0.8 });
  await page.getByRole("button", { name: "Delete the case opening hours" }).filter({ visible: true }).click();
  await page.getByRole("heading", { name: "No cases yet" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "Edit the case opening hours" }).waitFor();
  await checkAppearance(page, "evals-cases");

  const { runId } = await storeRuns(api, stored?.dataset_id ?? "");
  await page.getByRole("button", { name: "Run …" }).click();
  await page.getByRole("radio", { name: "With the command" }).click();
  await page.getByLabel("Version").selectOption("Version 1");
  await page.getByText(/^npx swarmbase eval .* --version 1$/).waitFor();
  await checkAppearance(page, "evals-command");
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Runs" }).click();
  await page.getByText("1 of 2").filter({ visible: true }).waitFor();
  await checkAppearance(page, "evals-runs");
  await page.getByRole("link", { name: "Open the run of Ada, version 1" }).first().click();
  await page.waitForURL(new RegExp(`/runs/${runId}$`));
  await page.getByRole("link", { name: "an earlier run" }).waitFor();
  await page.getByRole("combobox", { name: "Outcome" }).selectOption("Regressions");
  await page.getByRole("button", { name: "Open the result of tone" }).waitFor();
  await page.getByRole("button", { name: "Open the result of hours" }).waitFor({ state: "detached" });
  await checkAppearance(page, "evals-run");
  await page.getByRole("button", { name: "Open the result of tone" }).click();
  await page.getByRole("group", { name: "Output" }).getByText("Go away.").waitFor();
  await page.getByRole("group", { name: "Expectation: Exact text" }).getByText("Please wait.").waitFor();
  await checkAppearance(page, "evals-result");
  await page.keyboard.press("Escape");

  await page.getByRole("link", { name: "support" }).click();
  await page.getByRole("button", { name: "More about support" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByLabel(/^Type/).fill("support");
  await page.getByRole("button", { name: "Delete the dataset" }).click();
  await page.getByRole("heading", { name: "No datasets yet" }).waitFor();
  assert.deepEqual(await api.call("GET", "/rest/v1/eval_results"), []);
});

test("a dataset runs in the tab, reports a regression, and is cancelled", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const insert = async (table: string, row: object): Promise<string> => {
    const [created] = (await api.call("POST", `/rest/v1/${table}`, row)) as { id: string }[];
    return created?.id ?? "";
  };
  const agentId = await insert("agents", { name: "Ada" });
  const [calculator] = (await api.call("GET", "/rest/v1/tools?name=eq.calculator")) as { id: string }[];
  const assignment = await insert("agent_tools", { agent_id: agentId, tool_id: calculator?.id });
  const datasetId = await insert("eval_datasets", { name: "support" });
  const sum = { name: "sum", input: '/tool calculator {"expression": "6 * 7"}' };
  const schema = { kind: "schema", schema: { type: "object" } };
  await api.call("POST", "/rest/v1/eval_cases", [
    { ...sum, dataset_id: datasetId, position: 0, expectation: { kind: "tool_called", tool: "calculator" } },
    { name: "json", input: "Which?", dataset_id: datasetId, position: 1, expectation: schema },
    {
      name: "tone",
      input: "Hello!",
      dataset_id: datasetId,
      position: 2,
      expectation: { kind: "judge", criteria: "Polite.", min_score: 0 },
    },
  ]);

  await page.goto(`/evals/${datasetId}`);
  await page.getByRole("button", { name: "Run …" }).click();
  await page.getByRole("button", { name: "Start run" }).click();
  await page.getByText("The case “tone” needs a judge.").waitFor();
  await checkAppearance(page, "evals-start");
  await page.getByLabel("Judge").selectOption("Ada");
  await page.getByRole("button", { name: "Start run" }).click();
  await page.getByText("Completed", { exact: true }).waitFor();
  await page.getByText("the answer is not valid JSON").filter({ visible: true }).waitFor();
  await page.getByText("Nothing to compare with").waitFor();

  await api.call("DELETE", `/rest/v1/agent_tools?id=eq.${assignment}`);
  await page.getByRole("link", { name: "support" }).click();
  await page.getByRole("button", { name: "Run …" }).click();
  await page.getByLabel("Judge").selectOption("Ada");
  await page.getByRole("button", { name: "Start run" }).click();
  await page.getByText("the agent called no tool, not calculator").filter({ visible: true }).waitFor();
  await page.getByText("Regression", { exact: true }).filter({ visible: true }).waitFor();
  await page.getByRole("link", { name: "an earlier run" }).waitFor();

  const slow = { name: "slow", input: "/sleep 600000", dataset_id: datasetId, position: 3 };
  await insert("eval_cases", { ...slow, expectation: { kind: "exact", text: "" } });
  const startSlow = async (): Promise<void> => {
    await navigate(page, `/evals/${datasetId}`);
    await page.getByRole("button", { name: "Run …" }).click();
    await page.getByLabel("Judge").selectOption("Ada");
    await page.getByRole("button", { name: "Start run" }).click();
    await page.getByText("3 of 4 cases are done.").waitFor();
    await page.getByRole("button", { name: "Open the result of tone" }).waitFor();
  };
  await startSlow();
  await checkAppearance(page, "evals-running");
  await page.getByRole("button", { name: "Cancel run" }).click();
  await page.getByText("Cancelled", { exact: true }).waitFor();

  await startSlow();
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto("/evals");
  const listCancelled = () => api.call("GET", "/rest/v1/eval_runs?status=eq.cancelled") as Promise<unknown[]>;
  await waitUntil(async () => (await listCancelled()).length === 2);

  await startSlow();
  await page.getByRole("button", { name: "Grace Hopper" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  const service = "/rest/v1/eval_runs?status=eq.cancelled&user_id=eq.";
  assert.equal(((await api.callAsService("GET", `${service}${api.userId}`)) as unknown[]).length, 3);
});

/** Two runs as the command stores them; the second has a regression. */
async function storeRuns(api: ApiClient, datasetId: string): Promise<{ readonly runId: string }> {
  const [agent] = (await api.call("POST", "/rest/v1/agents", { name: "Ada" })) as { id: string }[];
  const run = { dataset_id: datasetId, agent_id: agent?.id, agent_version: 1, status: "completed", case_count: 2 };
  const store = async (row: object): Promise<string> => {
    const [created] = (await api.call("POST", "/rest/v1/eval_runs", { ...run, ...row })) as { id: string }[];
    return created?.id ?? "";
  };
  const earlier = await store({ passed_count: 2 });
  const runId = await store({ passed_count: 1, regression_count: 1, baseline_run_id: earlier });
  const base = { eval_run_id: runId, latency_ms: 120, input_tokens: 10, output_tokens: 5, score: null };
  await api.call("POST", "/rest/v1/eval_results", [
    {
      ...base,
      case_name: "hours",
      input: "When?",
      expectation: { kind: "contains", texts: ["nine"] },
      passed: true,
      is_regression: false,
      reason: 'the answer contains "nine"',
      output: "At nine.",
    },
    {
      ...base,
      case_name: "tone",
      input: "Hurry!",
      expectation: { kind: "exact", text: "Please wait." },
      passed: false,
      is_regression: true,
      reason: 'the answer is not "Please wait."',
      output: "Go away.",
    },
  ]);
  return { runId };
}

plainTest("the form of a case keeps every kind of expectation as it is", () => {
  const expectations: readonly EvalExpectation[] = [
    { kind: "exact", text: " a\nb ", ignore_case: true },
    { kind: "contains", texts: ["one\ntwo", " "] },
    { kind: "schema", schema: { type: "object", required: ["id"] } },
    { kind: "judge", criteria: "Polite.", agent_id: "c7a1f1de-5cf0-4a6e-9d3b-5f0c8e4a1b2d", min_score: 0 },
    { kind: "tool_called", tool: "calculator" },
  ];
  for (const expectation of expectations) {
    const row = { name: "n", input: "i", expectation } as EvalCase;
    assert.deepEqual(renderCase(formOf(row)), { draft: { name: "n", input: "i", expectation } });
  }
});

plainTest("a form with an incomplete expectation has errors at its fields", () => {
  const faultsOf = (form: Partial<typeof EMPTY_CASE>): readonly string[] => {
    const rendered = renderCase({ ...EMPTY_CASE, ...form });
    return "faults" in rendered ? Object.keys(rendered.faults) : [];
  };
  assert.deepEqual(faultsOf({ kind: "exact" }), []);
  assert.deepEqual(faultsOf({ kind: "contains" }), ["texts"]);
  assert.deepEqual(faultsOf({ kind: "schema", schema: null }), ["schema"]);
  for (const minScore of ["2", "-1", "much"])
    assert.deepEqual(faultsOf({ kind: "judge", criteria: " ", minScore }), ["criteria", "minScore"]);
  assert.deepEqual(faultsOf({ kind: "tool_called" }), ["tool"]);
});
