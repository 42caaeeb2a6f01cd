import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { ApiClient } from "./support/api-client.ts";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest, NARROW } from "./support/browser-test.ts";
import { createSignedInUser, navigate } from "./support/people.ts";
import { assignTools, createSwarm, waitUntil } from "./support/swarms.ts";

const test = createBrowserTest();

interface RunAnswer {
  readonly run_id: string;
  readonly status: string;
}

async function ask(api: ApiClient, swarmId: string, message: string): Promise<RunAnswer> {
  return (await api.call("POST", "/functions/v1/agent-respond", { swarm_id: swarmId, message })) as RunAnswer;
}

/** Asks a question whose second tool call waits for a decision, and approves it. */
async function askWithApproval(api: ApiClient, swarmId: string): Promise<string> {
  const message = 'Work it out\n/tool calculator {"expression":"12*49"}\n/tool send_mail {"to":"bob"}';
  const { run_id: runId } = await ask(api, swarmId, message);
  const path = `/rest/v1/tool_executions?run_id=eq.${runId}&status=eq.pending_approval&select=id`;
  const [waiting] = (await api.call("GET", path)) as { id: string }[];
  const decisions = [{ tool_execution_id: waiting?.id, approved: false }];
  await api.call("POST", "/functions/v1/agent-respond", { action: "approve", run_id: runId, decisions });
  await waitUntil(async () => {
    const [run] = (await api.call("GET", `/rest/v1/runs?id=eq.${runId}&select=status`)) as { status: string }[];
    return run?.status === "completed";
  });
  return runId;
}

/** Counts the requests of the page to tables and functions. */
function countRequests(page: Page): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (/\/(?:rest|functions)\/v1\//u.test(request.url())) count += 1;
  });
  return () => count;
}

test("a swarm becomes a tool, and the trace of a run shows its agents below the call", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const team = await createSwarm(api, ["Ida"], { name: "Team" });
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  await page.goto("/tools/new");
  await page.getByLabel("Kind").selectOption("Swarm");
  await page.getByLabel("Name", { exact: true }).fill("research");
  await page.getByLabel("Description", { exact: true }).fill("Finds facts.");
  await page.getByLabel("Swarm", { exact: true }).selectOption("Team");
  await page.getByLabel(/^Tokens of a call, at most/u).fill("50000");
  await checkAppearance(page, "tool-swarm");
  await page.getByRole("button", { name: "Create tool" }).click();
  await page.getByRole("heading", { level: 1, name: "research" }).waitFor();
  assert.equal(await page.getByRole("tab", { name: "Test call" }).count(), 0, "there is no conversation to test it in");
  const [tool] = (await api.call("GET", "/rest/v1/tools?name=eq.research&select=id,config")) as Record<
    string,
    unknown
  >[];
  assert.deepEqual(tool?.["config"], { swarm_id: team.swarmId, budget: { max_tokens: 50_000 } });

  await api.call("POST", "/rest/v1/agent_tools", { agent_id: agentIds[0], tool_id: tool?.["id"] });
  const { run_id: runId } = await ask(api, swarmId, '/tool research {"message": "Who wrote Faust?"}');
  await navigate(page, "/runs");
  await page.getByRole("button", { name: "Open the run: /tool research" }).click();
  const rows = page.getByRole("list", { name: "Trace" }).getByRole("button");
  await rows.filter({ hasText: "Turn of Ida" }).waitFor();
  const names = (await rows.allTextContents()).map(
    (text) => /Turn of (?:Ada|Ida)|Tool call research/u.exec(text)?.[0] ?? "",
  );
  assert.deepEqual(
    names.filter((name) => name !== ""),
    ["Turn of Ada", "Tool call research", "Turn of Ida"],
  );
  const tree = page.getByRole("region", { name: "Sub-tasks" });
  assert.match(await tree.locator("[aria-current]").innerText(), /^\/tool research/u);
  await checkAppearance(page, "trace-sub-task");
  await rows.filter({ hasText: "Tool call research" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Open the sub-task" }).click();
  await page.getByText("A sub-task of another run began").waitFor();
  assert.ok(!page.url().includes(runId));
  await tree.locator("[aria-current]").getByText("Who wrote Faust?").waitFor();
  await tree.getByRole("link", { name: /^\/tool research/u }).click();
  await page.waitForURL(new RegExp(runId, "u"));
  await navigate(page, "/runs");
  await page.getByRole("button", { name: "Open the run: /tool research" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Open the run: / }).count(), 1, "the list has no sub-tasks");
});

test("a run that waits for a signal says so, and continues with what is sent to it", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  const [tool] = (await api.call("GET", "/rest/v1/tools?name=eq.wait_for_event&select=id")) as { id: string }[];
  await api.call("POST", "/rest/v1/agent_tools", { agent_id: agentIds[0], tool_id: tool?.id });
  const { run_id: runId } = await ask(api, swarmId, '/tool wait_for_event {"name": "paid", "seconds": 86400}');
  await page.goto(`/runs/${runId}`);
  await page.getByText(/Ada is waiting for the signal paid until /u).waitFor();
  await checkAppearance(page, "run-waiting");
  await page.getByRole("button", { name: "Send signal" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Data" }).fill('{"amount": 12}');
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  await waitUntil(async () => {
    const [run] = (await api.call("GET", `/rest/v1/runs?id=eq.${runId}&select=status`)) as { status: string }[];
    return run?.status === "completed";
  });
  const path = `/rest/v1/tool_executions?run_id=eq.${runId}&select=tool_execution_payloads(output)`;
  assert.match(JSON.stringify(await api.call("GET", path)), /"amount":\s*12/u);
  await page.getByRole("button", { name: "Send signal" }).waitFor({ state: "hidden" });
});

test("the trace of a run shows its parts, and each part what was sent and answered", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada", "Max"]);
  await assignTools(api, agentIds[0] ?? "");
  await api.call("PATCH", `/rest/v1/agents?id=eq.${agentIds[0]}`, { system_prompt: "Be brief and kind." });
  const { run_id: plainId } = await ask(api, swarmId, "@Max say hello");
  const runId = await askWithApproval(api, swarmId);
  const other = await createSwarm(api, ["Zoe"], { name: "Another room" });
  await ask(api, other.swarmId, "What about the other room?");

  await page.goto("/runs");
  await page.getByRole("button", { name: "Open the run: What about the other room?" }).waitFor();
  await page.getByRole("combobox", { name: "Swarm" }).selectOption("Beehive launch");
  await page.getByRole("button", { name: "Open the run: What about" }).waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Agent" }).selectOption("Ada");
  await page.getByRole("button", { name: "Open the run: @Max" }).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: "Open the run: Work it out" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Open the run" }).count(), 1, "the address keeps the filters");
  await checkAppearance(page, "all-runs");
  await navigate(page, `/runs?q=${plainId}`);
  await page.getByRole("button", { name: "Open the run: @Max say hello" }).waitFor();
  await navigate(page, "/runs?from=2001-01-01&to=2001-01-02");
  await page.getByText("No run matches").waitFor();
  await page.getByRole("button", { name: "Show all runs" }).click();
  // The list is there, so that its request is not counted below.
  await page.getByRole("button", { name: "Open the run: What about the other room?" }).waitFor();

  const requestCount = countRequests(page);
  await page.getByRole("button", { name: "Open the run: Work it out" }).click();
  const parts = page.getByRole("list", { name: "Trace" });
  await parts.getByRole("button", { name: /^Turn of Ada/u }).waitFor();
  await parts.getByRole("button", { name: /^Approval of send_mail Denied/u }).waitFor();
  await checkAppearance(page, "trace");
  assert.ok(requestCount() <= 2, `the trace took ${requestCount()} requests`);
  await parts.getByRole("button", { name: /^Tool call calculator/u }).click();
  await page.getByRole("dialog").getByText('"588"').waitFor();
  await page.keyboard.press("Escape");

  const calls = parts.getByRole("button", { name: /^Model call/u });
  await calls.nth(1).click();
  const details = page.getByRole("dialog");
  await details.getByText("Exactly what was sent").waitFor();
  await details.getByRole("group", { name: "System prompt" }).getByText("Be brief and kind.").waitFor();
  await details.getByRole("group", { name: "Result of a tool: calculator" }).getByText("588").waitFor();
  await checkAppearance(page, "trace-model-call");
  assert.match(page.url(), /[?&]part=/u);
  await page.reload();
  await details.getByText("Exactly what was sent").waitFor();
  const [asked] = (await api.call("GET", `/rest/v1/messages?swarm_id=eq.${swarmId}&seq=eq.1&select=id`)) as {
    id: string;
  }[];
  await api.call("DELETE", `/rest/v1/messages?id=eq.${asked?.id}`);
  await page.reload();
  await details.getByText("1 of the messages was deleted since.").waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Run again" }).click();
  const again = page.getByRole("dialog");
  await again.getByRole("radio", { name: "One agent, apart" }).click();
  await again.getByRole("textbox", { name: "Question" }).fill("Say it in one word");
  await again.getByRole("spinbutton", { name: "Temperature" }).fill("0.2");
  await checkAppearance(page, "run-again");
  await again.getByRole("button", { name: "Run and compare" }).click();
  await page.getByRole("heading", { level: 1, name: "Compare two runs" }).waitFor();
  await page.getByRole("cell", { name: "Say it in one word" }).waitFor();
  await page
    .getByRole("region", { name: /^Ada, version/u })
    .getByText(/^\+ \[simulated\]/u)
    .first()
    .waitFor();
  await checkAppearance(page, "compare-runs");
  await navigate(page, `/runs/${runId}`);
  await page.getByRole("button", { name: "Compare" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Deleted/u })
    .click();
  await page.getByRole("cell", { name: "Deleted" }).waitFor();
  await navigate(page, `/runs/${swarmId}`);
  await page.getByText("It does not exist, was removed").waitFor();
});

test("a trace has a legend, a time axis and a critical path, and its rows say what their details say", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  await assignTools(api, agentIds[0] ?? "");
  const runId = await askWithApproval(api, swarmId);
  await assert.rejects(ask(api, swarmId, "Hello\n/fail 5xx"), /PROVIDER_ERROR/u);
  await page.goto(`/runs/${runId}`);
  const rows = page.getByRole("list", { name: "Trace" }).getByRole("button");
  await rows.first().waitFor();
  const legend = await page.getByRole("list", { name: "Legend" }).getByRole("listitem").allInnerTexts();
  for (const meaning of ["Model call", "until its first token", "Tool call", "Wait", "Failed"])
    assert.ok(legend.includes(meaning), `${meaning} is not in the legend`);
  assert.match(await page.getByText("The critical path has").innerText(), /\d m?s of waits/u);
  await rows.filter({ hasText: "Approval of send_mail" }).filter({ hasText: "on the critical path" }).waitFor();
  for (const [place, row] of (await rows.all()).entries()) {
    const [shown] = (await row.locator("> span").nth(1).innerText()).trim().split("\n");
    await row.click();
    const dialog = page.getByRole("dialog");
    const figure = dialog
      .locator("dt", { hasText: /^(?:Duration|Waited)$/u })
      .first()
      .locator("xpath=following-sibling::dd");
    const detail = place === 0 ? await dialog.innerText() : await figure.innerText();
    assert.ok(shown && detail.includes(shown), `row ${place} says ${shown}, its details ${detail}`);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  }

  await navigate(page, "/runs");
  await page.getByRole("button", { name: "Open the run: Hello" }).click();
  await rows.filter({ hasText: "HTTP 503: " }).first().waitFor();
  assert.equal(await rows.filter({ hasText: "Retry, attempt" }).count(), 2);
  await checkAppearance(page, "trace-failed");
  await rows.filter({ hasText: "HTTP 503: " }).first().click();
  await page.getByRole("dialog").getByText("503", { exact: true }).waitFor();
});

test("a model call opens in the playground with exactly its prompt, tool calls included", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  await assignTools(api, agentIds[0] ?? "");
  await api.call("PATCH", `/rest/v1/agents?id=eq.${agentIds[0]}`, { system_prompt: "Be brief." });
  const { run_id: firstId } = await ask(api, swarmId, "Hello Ada");
  const { run_id: runId } = await ask(api, swarmId, 'Work it out\n/tool calculator {"expression":"12*49"}');
  const column = page.getByRole("region", { name: "Column A" });
  const calls = page.getByRole("list", { name: "Trace" }).getByRole("button", { name: /^Model call/u });
  await page.goto(`/runs/${firstId}`);
  await calls.first().click();
  const greeting = await page
    .getByRole("dialog")
    .getByText(/^\[simulated\]/u)
    .last()
    .innerText();
  await page.getByRole("link", { name: "Open in playground" }).click();
  await page.getByRole("button", { name: "Send it as it was" }).click();
  await column.getByText(/^\[simulated\]/u).waitFor();
  assert.equal(
    await column.getByText(/^\[simulated\]/u).innerText(),
    greeting,
    "its hash of the prompt is another one",
  );

  await page.goto(`/runs/${runId}`);
  await calls.nth(1).click();
  const answer = page.getByRole("dialog").getByText(/^\[simulated\].*588/u);
  const said = await answer.last().innerText();
  await page.getByRole("link", { name: "Open in playground" }).click();
  const bodies: { readonly messages: unknown }[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/agent-respond"))
      bodies.push(JSON.parse(request.postData() ?? "{}") as (typeof bodies)[number]);
  });
  await page.getByText("The prompt of a run: 4 messages").first().waitFor();
  await checkAppearance(page, "playground-prompt");
  await page.getByRole("button", { name: "Send it as it was" }).click();
  await column.getByText(/^\[simulated\].*588/u).waitFor();
  // The ids of tool calls are new ones, so the hash of the prompt is, too.
  const withoutHash = (text: string): string => text.replace(/[\da-f]{8}\)$/u, "");
  assert.equal(withoutHash(await column.getByText(/^\[simulated\].*588/u).innerText()), withoutHash(said));
  const messages = bodies[0]?.messages as { role: string; content: string; tool_results?: unknown[] }[];
  assert.deepEqual(
    messages.map(({ role, tool_results: results }) => [role, results?.length ?? 0]),
    [
      ["user", 0],
      ["assistant", 0],
      ["user", 0],
      ["user", 1],
    ],
  );
  await page.getByLabel("Message to all columns").fill("And now?");
  await page.keyboard.press("Enter");
  await column.getByText(/And now\?.*\(5 messages/u).waitFor();
});

test("on a narrow screen the name of a failed part stays whole above the error", async (t, { openPage, instance }) => {
  const page = await openPage(t, { width: NARROW });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  await assignTools(api, agentIds[0] ?? "");
  const { run_id: runId } = await ask(api, swarmId, 'Work it out\n/tool calculator {"expression":"((1 +"}');
  await page.goto(`/runs/${runId}`);
  const part = page.getByRole("list", { name: "Trace" }).getByRole("button", { name: /^Tool call calculator \S/u });
  await part.waitFor();
  const name = part.getByText("calculator");
  assert.equal(await name.evaluate((element) => element.scrollWidth <= element.clientWidth), true, "the name is cut");
});
