import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { checkAppearance } from "./support/appearance.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createPerson, createSignedInUser, navigate, openHome } from "./support/people.ts";
import { createSwarm } from "./support/swarms.ts";

const test = createBrowserTest();

test("search finds names, people, runs and the words of messages, with the keyboard alone, as the user may see", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Zebedee"], { name: "Quince room" });
  const asked = { swarm_id: swarmId, message: "Where grows the rhubarb?", agent_ids: agentIds };
  const { run_id: runId } = (await api.call("POST", "/functions/v1/agent-respond", asked)) as { run_id: string };
  await api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content: "100%_sure: rhubarb\nhates lime" });
  const { swarmId: other } = await createSwarm(api, ["Abel"], { name: "Other room" });
  await api.call("POST", "/rest/v1/messages", { swarm_id: other, content: "Rhubarb here as well" });
  await api.call("POST", "/rest/v1/webhooks", {
    name: "Quince hook",
    url: "https://receiver.example.com/",
    events: ["agent.created"],
    is_active: false,
  });
  const agentId = agentIds[0] ?? "";
  const target = { agent_id: agentId, message: "Count the quinces." };
  const made = {
    tools: { name: "quince_tool", description: "Counts.", kind: "http", config: { url: "https://shop.example.com" } },
    triggers: { ...target, name: "Quince trigger", verification: "bearer" },
    schedules: { ...target, name: "Quince schedule", cron: "0 9 * * 1" },
    guardrails: { agent_id: agentId, name: "Quince check", kind: "pattern", stage: "input", config: { pattern: "q" } },
    eval_datasets: { name: "Quince cases" },
  };
  for (const [table, row] of Object.entries(made)) await api.call("POST", `/rest/v1/${table}`, row);
  const stranger = await openPage(t);
  await createSignedInUser(stranger, createPerson("Wilhelmina Stranger"));

  await openHome(page);
  const results = page.getByRole("listbox", { name: "Results" });
  const group = (name: string) => results.getByRole("group", { name });
  const search = async (text: string) => {
    await openSearch(page);
    await page.keyboard.type(text);
  };
  await search("quince");
  await group("Swarms").getByText("Quince room").waitFor();
  await group("Webhooks").getByText("Quince hook").waitFor();
  await group("Tools").getByText("quince_tool").waitFor();
  await group("Triggers").getByText("Quince trigger").waitFor();
  await group("Schedules").getByText("Quince schedule").waitFor();
  await group("Guardrails").getByText("Quince check").waitFor();
  await group("Evals").getByText("Quince cases").waitFor();
  // The words are marked in what is said about a name, too.
  assert.equal(
    await group("Schedules")
      .locator("mark")
      .allTextContents()
      .then((all) => all.join()),
    "Quince,quince",
  );
  await group("Evals").getByText("Quince cases").click();
  await page.waitForURL(/\/evals\/[0-9a-f-]{36}$/);
  await openHome(page);
  await search("quince");
  await group("Swarms").getByText("Quince room").waitFor();
  await page.keyboard.press("Escape");

  await search("rhubarb");
  await group("Messages").getByText("Rhubarb here as well").waitFor();
  await group("Runs").getByText("Where grows the rhubarb?").waitFor();
  await checkAppearance(page, "search");
  await page.keyboard.press("Escape");

  await search("100%_sure lime");
  await group("Messages").getByText("100%_sure: rhubarb hates lime").waitFor();
  assert.equal(await results.getByRole("option").count(), 1);
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/swarms/${swarmId}\\?message=`));

  await search("rhubarb");
  await group("In this conversation").getByText("100%_sure: rhubarb hates lime").waitFor();
  await group("Messages").getByText("Rhubarb here as well").waitFor();
  await page.keyboard.press("Escape");

  await search("zebed");
  await group("Agents").getByText("Zebedee", { exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`/agents/${agentIds[0]}`);

  // Newer names that contain the text do not displace the one that is meant.
  await api.call("POST", "/rest/v1/agents", { name: "Agent 77" });
  await api.call(
    "POST",
    "/rest/v1/agents",
    Array.from({ length: 10 }, (_, at) => ({ name: `Agent 77${at}`, role: "Answers" })),
  );
  await search("agent 77");
  await group("Agents").getByText("Agent 77", { exact: true }).waitFor();
  await page.keyboard.press("Escape");

  // The first result is the name that was typed, and its words are marked.
  await search("agent 77");
  await results.getByRole("option").first().getByText("Agent 77", { exact: true }).waitFor();
  assert.equal(await results.locator("mark").first().textContent(), "Agent");
  await page.keyboard.press("Escape");
  // Exact names first, then names that begin with the text, then words of names, then parts of words.
  await api.call(
    "POST",
    "/rest/v1/agents",
    ["Rook nest", "Rook", "Alpha Rook", "Brooklyn"].map((name) => ({ name })),
  );
  await search("rook");
  await group("Agents").getByText("Alpha Rook").waitFor();
  const ranked = await group("Agents").getByRole("option").allTextContents();
  assert.deepEqual(ranked, ["Rook", "Rook nest", "Alpha Rook", "Brooklyn"]);
  await page.keyboard.press("Escape");
  // An exact id is the first of all results.
  await search(agentId);
  await results.getByRole("option").first().getByText("Zebedee", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await search(agentId.slice(0, 20));
  await group("Agents").getByText("Zebedee", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await search("passkeys");
  await group("Settings").getByText("Sign-in").waitFor();
  await page.keyboard.press("Escape");
  const [hook] = (await api.call("GET", "/rest/v1/webhooks?select=id")) as { id: string }[];
  const eventId = randomUUID();
  const delivery = { webhook_id: hook?.id, user_id: api.userId, event_id: eventId, event_type: "agent.created" };
  await api.callAsService("POST", "/rest/v1/webhook_deliveries", { ...delivery, payload: {} });
  await search(`evt_${eventId}`);
  await group("Deliveries").getByText("agent.created").waitFor();
  await page.keyboard.press("Escape");

  await search("hopper");
  await group("People").getByText("Grace Hopper").waitFor();
  await page.keyboard.press("Escape");

  await search(runId);
  await group("Runs").getByText("Where grows the rhubarb?").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`/runs/${runId}`);

  await navigate(page, `/swarms/${swarmId}`);
  await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
  const old = { id: "01600000-0000-7000-8000-000000000000".replace(/0{12}$/, swarmId.slice(-12)), swarm_id: swarmId };
  await api.callAsService("POST", "/rest/v1/messages", { ...old, sender_user_id: api.userId, content: "medlar" });
  await search("medlar");
  await page.getByText("Nothing matches").waitFor();
  await page.getByRole("button", { name: "Search older ones" }).press("Enter");
  await group("In this conversation").getByText("medlar").waitFor();
  await page.keyboard.press("Escape");

  await openHome(stranger);
  await assertNothing(stranger, "rhubarb");
  await assertNothing(stranger, runId);
});

async function assertNothing(page: Page, text: string): Promise<void> {
  await openSearch(page);
  await page.keyboard.type(text);
  await page.getByText("Nothing matches.").waitFor();
  await page.keyboard.press("Escape");
}

/** Its file is loaded when it is opened for the first time. */
async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search everything").waitFor();
}
