import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import { type Change, readChange, readRow } from "../src/data/change.ts";
import { addToTail, EMPTY_TAIL, listSince, MAX_KEPT, resumeTail } from "../src/data/tail.ts";
import { describeChange } from "../src/pages/events/describe-change.ts";
import { matchesFilter } from "../src/pages/events/filter.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser } from "./support/people.ts";
import { startReceiver } from "./support/receiver.ts";
import { stopPolling } from "./support/stop-polling.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { waitUntil } from "./support/swarms.ts";

const test = createBrowserTest();

test("the event list updates live and can be filtered, paused, expanded and followed to the rows", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  const receiver = await startReceiver(t, instance);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const add = async (path: string, body: unknown): Promise<string> => {
    const [made] = (await api.call("POST", `/rest/v1/${path}`, body)) as { id: string }[];
    return made?.id ?? "";
  };
  await stopPolling(page);
  await page.goto("/events");
  await page.getByText("No events yet").waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await checkAppearance(page, "events-quiet");

  await add("webhooks", { name: "Ticket desk", url: receiver.url, events: ["agent.created"] });
  await page.getByRole("button", { name: /webhook\.created Ticket desk was created/ }).waitFor();
  const agent = await add("agents", { name: "Ada" });
  const swarm = await add("swarms", { name: "Support room" });
  await add("swarm_agents", { swarm_id: swarm, agent_id: agent });
  await api.call("POST", "/functions/v1/agent-respond", { swarm_id: swarm, message: "Who is there?" });
  await page.getByRole("button", { name: /message\.created Ada in Support room: \[simulated\]/ }).waitFor();
  await page.getByRole("button", { name: /run\.completed A run in Support room is complete/ }).waitFor();
  await page.getByRole("button", { name: /swarm\.agent_added Ada has joined Support room/ }).waitFor();
  await page.getByRole("button", { name: /agent\.status_changed Ada is thinking/ }).waitFor();
  await page.getByRole("button", { name: /attempt\.delivered Ticket desk answered 200 to agent\.created/ }).waitFor();
  await checkAppearance(page, "events");

  await page.keyboard.press("p");
  await page.getByText("Paused").waitFor();
  await api.call("PATCH", `/rest/v1/agents?id=eq.${agent}`, { role: "Explains" });
  // Not always one: the last change of the run may arrive after the pause.
  const held = page.getByRole("button", { name: /^[1-9]\d* new$/ });
  await held.waitFor();
  assert.equal(await page.getByRole("button", { name: /agent\.updated/ }).count(), 0);
  await held.click();
  const changed = page.getByRole("button", { name: /agent\.updated Ada was changed/ });
  await changed.waitFor();

  await page.getByLabel("Subject", { exact: true }).selectOption("Agents");
  await page.getByLabel("Type", { exact: true }).selectOption("agent.updated");
  await page.getByLabel("Search the events").fill("explains");
  await page.getByRole("list", { name: "Events" }).locator("[aria-setsize='1']").waitFor();
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByText('"Explains"').waitFor();
  await checkAppearance(page, "event-open");
  await page.getByLabel("Search the events").fill("nothing of the kind");
  await page.getByText("No event matches").waitFor();
  await page.getByRole("button", { name: "Show all events" }).click();
  await changed.waitFor();
  await page.getByRole("link", { name: "Open", exact: true }).click();
  await page.waitForURL(`**/agents/${agent}`);

  // What happened before the page was opened is read page by page, also rows that were made at the same time.
  const lines = Array.from({ length: 130 }, (_, at) => ({ swarm_id: swarm, content: `line ${at}` }));
  await api.call("POST", "/rest/v1/messages", lines);
  const apart = page.waitForResponse(/\/webhook_delivery_attempts\?.*created_at=gte/);
  await page.goto("/events");
  await page.getByText("50 events so far").waitFor();
  // The attempt is also read apart from the page; it is older than the others, and waits for its page.
  await apart;
  await api.call("PATCH", `/rest/v1/agents?id=eq.${agent}`, { role: "Explains all" });
  await changed.first().waitFor();
  await page.getByText("51 events so far").waitFor();
  const more = page.getByRole("button", { name: "Show more" });
  await waitUntil(async () => {
    // At once, because the button goes away with the last page.
    const [isBusy] = await more.evaluateAll((buttons) =>
      buttons.map((button) => (button as HTMLButtonElement).disabled),
    );
    if (isBusy === false) await more.click();
    return isBusy === undefined;
  });
  await page.getByLabel("Search the events").fill("room: line ");
  await page.getByText(/^(?:All )?130 events/).waitFor();
  await page.getByLabel("Search the events").fill("");
  await page.getByLabel("Subject", { exact: true }).selectOption("Agents");
  await page.getByRole("button", { name: /agent\.created Ada was created/ }).waitFor();
  await page.getByLabel("Subject", { exact: true }).selectOption("Webhooks");
  await page.getByRole("button", { name: /webhook\.created Ticket desk was created/ }).waitFor();
  await page.getByRole("button", { name: /attempt\.delivered Ticket desk answered 200/ }).waitFor();
});

const AT = "2026-01-01T00:00:00Z";

function buildPayload(row: object, eventType: "INSERT" | "UPDATE" | "DELETE" = "INSERT") {
  return { eventType, commit_timestamp: AT, new: row, old: row };
}

plainTest("the event tail is bounded, has each change once, and orders waiting changes by time", () => {
  const changes: Change[] = Array.from({ length: MAX_KEPT + 5 }, (_, at) =>
    readRow("messages", { id: String(at), created_at: new Date(at * 1_000).toISOString() }),
  );
  const full = addToTail(EMPTY_TAIL, changes, false);
  assert.equal(full.shown.length, MAX_KEPT);
  assert.equal(full.shown[0]?.key, `messages:${MAX_KEPT + 4}`);
  assert.equal(addToTail(full, changes, false), full);
  const news = readRow("messages", { id: "new", created_at: AT });
  const held = addToTail(full, [news], true);
  assert.deepEqual([held.shown, held.waiting], [full.shown, [news]]);
  assert.equal(resumeTail(held).shown[0], news);
  const [newest, ...older] = full.shown;
  assert.ok(newest !== undefined);
  const gap = { kind: "gap", key: "gap", at: AT } as const;
  assert.deepEqual(listSince([newest, gap, ...older], Date.parse(newest.at)), [newest, gap]);
  const [first, last] = ["first", "last"].map((id) => readChange("agents", buildPayload({ id })));
  assert.ok(first !== undefined && last !== undefined);
  assert.deepEqual(addToTail(EMPTY_TAIL, [first, last], false).shown, [last, first]);
});

plainTest("readChange removes secrets, and a row in one status has one key", () => {
  assert.deepEqual(readChange("webhooks", buildPayload({ id: "1", secret: "whsec_x" })).row, { id: "1" });
  const running = readChange("runs", buildPayload({ id: "1", status: "running" }, "UPDATE"));
  assert.equal(
    running.key,
    readChange("runs", buildPayload({ id: "1", status: "running", turn_count: 2 }, "UPDATE")).key,
  );
});

plainTest("describeChange describes every change, also with missing columns", () => {
  const names = new Map([["s", "Support room"]]);
  const say = (change: ReturnType<typeof readChange>) => {
    const { type, text, to } = describeChange(change, names);
    return [type, text, to];
  };
  assert.deepEqual(say(readChange("agents", buildPayload({ id: "1" }, "DELETE"))), [
    "agent.deleted",
    "An agent was removed",
    null,
  ]);
  assert.deepEqual(
    say(
      readChange(
        "tool_executions",
        buildPayload({ id: "1", run_id: "r", swarm_id: "s", tool_name: "add", status: "timed_out" }),
      ),
    ),
    ["tool.error", "An agent → add timed out", "/runs/r"],
  );
  assert.deepEqual(
    say(readChange("runs", buildPayload({ id: "r", swarm_id: "s", status: "failed", stop_reason: "no_progress" }))),
    ["run.failed", "A run in Support room has failed (no progress)", "/runs/r"],
  );
  assert.deepEqual(
    say(
      readRow("webhook_delivery_attempts", {
        id: "1",
        webhook_id: "w",
        delivery_id: "d",
        url: "https://a.example",
        error_code: "timeout",
        attempt: 2,
        created_at: AT,
      }),
    ),
    ["attempt.failed", "https://a.example did not respond (timeout), attempt 2", "/webhooks/w/deliveries/d"],
  );
});

plainTest("a filter compares subject, words and time, and a gap matches every filter", () => {
  const range = { since: AT, until: AT };
  const filter = { noun: "agent", type: null, search: "Ada", range } as const;
  const change = readChange("agents", buildPayload({ id: "1", name: "Ada" }));
  const line = { key: "1", at: AT, row: change.row, described: describeChange(change, new Map()) };
  assert.equal(matchesFilter(line, filter), true);
  assert.equal(matchesFilter(line, { ...filter, noun: "run" }), false);
  assert.equal(matchesFilter(line, { ...filter, range: { since: "2026-01-02T00:00:00Z", until: null } }), false);
  assert.equal(matchesFilter({ ...line, described: null, row: null }, { ...filter, noun: "run" }), true);
});
