import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import type { Schedule } from "../src/data/schedules.ts";
import { describeHold } from "../src/pages/starts/schedules/labels.ts";
import { EMPTY_SCHEDULE, formOf, renderSchedule } from "../src/pages/starts/schedules/schedule-draft.ts";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, navigate, openHome } from "./support/people.ts";
import { createSwarm, waitUntil } from "./support/swarms.ts";

const test = createBrowserTest();

test("a schedule is made, changed, switched off, started by hand and deleted, and its run gets the signal that it waits for", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"], { name: "Shop" });
  const agentId = agentIds[0] ?? "";
  const [tool] = (await api.call("GET", "/rest/v1/tools?name=eq.wait_for_event&select=id")) as { id: string }[];
  await api.call("POST", "/rest/v1/agent_tools", { agent_id: agentId, tool_id: tool?.id });
  const readSchedules = async () => (await api.call("GET", "/rest/v1/schedules?order=created_at")) as Schedule[];

  await openHome(page);
  await page.getByRole("navigation").getByRole("link", { name: "Schedules" }).click();
  await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor();
  await page.getByRole("link", { name: "New schedule" }).first().click();
  await page.getByLabel("Agent or swarm").selectOption("Agent Ada");
  await page.getByLabel("Name", { exact: true }).fill("Morning report");
  await page.getByLabel("Message", { exact: true }).fill('/tool wait_for_event {"name": "paid", "seconds": 600}');
  await page.getByLabel("Cron expression").fill("0 0 30 2 *");
  await page.getByRole("combobox", { name: "Time zone" }).click();
  await page.getByPlaceholder("Search …").fill("Europe/Berlin");
  await page.keyboard.press("Enter");
  await page.getByRole("radio", { name: "Start when the run has ended" }).click();
  await page.getByRole("radio", { name: "Leave them out" }).click();
  await page.getByLabel("Tokens of a run, at most").fill("many");
  await page.getByRole("button", { name: "Create schedule" }).click();
  await page.getByText("Must be a number.").waitFor();
  await page.getByLabel("Tokens of a run, at most").fill("50000");
  await page.getByRole("button", { name: "Create schedule" }).click();
  await page.getByText("is never due").waitFor();
  await checkAppearance(page, "schedule-refused");
  await page.getByLabel("Cron expression").fill("30 6 1  1 *");
  await page.getByRole("button", { name: "Create schedule" }).click();
  await page.getByRole("heading", { level: 1, name: "Morning report" }).waitFor();
  await page.getByText("None of its times has come.").waitFor();
  const [made] = await readSchedules();
  assert.ok(made);
  assert.deepEqual(
    [made.agent_id, made.cron, made.time_zone, made.run_at, made.max_tokens, made.when_running, made.when_missed],
    [agentId, "30 6 1 1 *", "Europe/Berlin", null, 50_000, "queue", "skip"],
  );

  await page.getByLabel("Name", { exact: true }).fill("Yearly report");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All changes saved").waitFor();
  await page.getByRole("heading", { level: 1, name: "Yearly report" }).waitFor();

  await page.getByRole("button", { name: "Run now" }).click();
  const outcomes = page.getByRole("list", { name: "Last outcomes" });
  await outcomes.getByText("Started by hand").waitFor();
  await outcomes.getByText("Started", { exact: true }).waitFor();
  await checkAppearance(page, "schedule");
  await outcomes.getByRole("link", { name: "Open the run" }).click();
  await page.getByText("Ada is waiting for the signal paid").waitFor();
  await page.getByRole("button", { name: "Send signal" }).click();
  await page.getByLabel("Data").fill('{"order": 12}');
  await checkAppearance(page, "send-signal");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("All agents have answered.").waitFor();
  await page.getByRole("button", { name: "Send signal" }).waitFor({ state: "detached" });
  const [call] = (await api.call(
    "GET",
    "/rest/v1/tool_executions?select=tool_execution_payloads(output)&tool_name=eq.wait_for_event",
  )) as { tool_execution_payloads: { output: { data: unknown } } }[];
  assert.deepEqual(call?.tool_execution_payloads.output.data, { order: 12 });
  await navigate(page, `/schedules/${made.id}`);
  await outcomes.getByText("Completed").waitFor();

  // Another one, of a swarm and once, which realtime adds to the list.
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Schedules" }).click();
  await page.getByRole("link", { name: "Open Yearly report" }).waitFor();
  const row = { name: "Stopped", swarm_id: swarmId, message: "Hello.", run_at: "2100-01-01T00:00:00.123456Z" };
  await api.call("POST", "/rest/v1/schedules", row);
  await page.getByRole("link", { name: "Open Stopped" }).waitFor();
  await page.getByText("Swarm Shop").filter({ visible: true }).first().waitFor();
  await checkAppearance(page, "schedules");
  await page.getByRole("switch", { name: "Yearly report: on" }).filter({ visible: true }).click();
  await waitUntil(async () => (await readSchedules())[0]?.enabled === false);
  await page.getByRole("link", { name: "Open Yearly report" }).click();
  await page.getByText("It is off.").waitFor();
  await page.getByRole("button", { name: "More about Yearly report" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByLabel(/^Type/).fill("Yearly report");
  await page.getByRole("button", { name: "Delete the schedule" }).click();
  await page.getByRole("link", { name: "Open Yearly report" }).waitFor({ state: "detached" });
  assert.deepEqual(
    (await readSchedules()).map(({ name }) => name),
    ["Stopped"],
  );
});

const COLUMNS = {
  name: "n",
  message: "m",
  conversation: "new",
  cron: "0 9 * * 1",
  time_zone: "Europe/Berlin",
  run_at: null,
  when_running: "queue",
  when_missed: "skip",
  max_tokens: 5_000,
  max_cost_usd: 0.5,
  jitter_seconds: 60,
  pause_after_failures: 0,
} as const;

plainTest("the form of a schedule keeps what it does not change, also the microseconds of its time", () => {
  const once = { ...COLUMNS, cron: null, run_at: "2030-01-01T10:00:00.123456+00:00", max_tokens: null };
  for (const columns of [COLUMNS, once]) {
    const row = columns as unknown as Schedule;
    assert.deepEqual(renderSchedule(formOf(row), row), { draft: columns });
  }
  const moved = renderSchedule({ ...formOf(once as unknown as Schedule), run_at: "2030-01-02T10:00" });
  assert.ok("draft" in moved);
  assert.equal(moved.draft.run_at, new Date("2030-01-02T10:00").toISOString());
});

plainTest("a schedule without a time, or with a limit that is no number, has an error at its field", () => {
  const cases = [
    [{ repeats: "once", run_at: "" }, "run_at"],
    [{ max_cost_usd: "one" }, "max_cost_usd"],
  ] as const;
  for (const [form, column] of cases) {
    const rendered = renderSchedule({ ...EMPTY_SCHEDULE, ...form });
    assert.deepEqual("faults" in rendered && Object.keys(rendered.faults), [column]);
  }
});

plainTest("a schedule that does not wait for its next time says why", () => {
  const row = { enabled: true, paused_reason: null, waiting: null, retry_at: null };
  const cases = [
    [{}, null],
    [{ enabled: false }, /^It is off/],
    [{ enabled: false, paused_reason: "failures" }, /failures in a row/],
    [{ enabled: false, paused_reason: "AGENT_NOT_FOUND" }, /stopped: AGENT_NOT_FOUND/],
    [{ waiting: "run" }, /run in progress/],
    [{ waiting: "limit", retry_at: "2030-01-01T00:00:00Z" }, /limit until .*2030/],
  ] as const;
  for (const [changes, expected] of cases) {
    const text = describeHold({ ...row, ...changes } as Schedule);
    if (expected === null) assert.equal(text, null);
    else assert.match(text ?? "", expected);
  }
});
