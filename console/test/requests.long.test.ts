import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, navigate, openHome } from "./support/people.ts";
import { assignTools, createSwarm } from "./support/swarms.ts";

const test = createBrowserTest();
/** The limit of a user per minute. */
const LIMIT = 100;
/** Without a request for this time, a page is complete. */
const QUIET_MS = 2_000;

test("all pages together need fewer requests than a user has in a minute", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada", "Max"]);
  const [agentId = ""] = agentIds;
  await assignTools(api, agentId);
  const asked = { swarm_id: swarmId, message: "Hello both" };
  const { run_id: runId } = (await api.call("POST", "/functions/v1/agent-respond", asked)) as { run_id: string };
  const [tool] = (await api.call("GET", "/rest/v1/tools?name=eq.send_mail&select=id")) as { id: string }[];
  const [webhook] = (await api.call("POST", "/rest/v1/webhooks", {
    name: `Receiver ${randomUUID()}`,
    url: "https://receiver.example.com/",
    events: ["agent.deleted"],
    is_active: false,
  })) as { id: string }[];
  const ofAgent = ["", "/settings", "/tools", "/try", "/activity"].map((part) => `/agents/${agentId}${part}`);
  const ofSwarm = ["", "/runs", "/settings"].map((part) => `/swarms/${swarmId}${part}`);
  const others = [
    `/runs/${runId}`,
    "/tools",
    `/tools/${tool?.id}`,
    "/webhooks",
    `/webhooks/${webhook?.id}`,
    "/events",
    "/usage",
    "/account",
  ];
  const paths = ["/agents", ...ofAgent, "/playground", "/swarms", ...ofSwarm, ...others];

  let count = 0;
  let lastAt = Date.now();
  page.on("request", (request) => {
    if (!/\/(?:rest|functions|auth)\/v1\//.test(request.url())) return;
    count += 1;
    lastAt = Date.now();
  });
  const settle = async (path: string, before: number) => {
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    for (lastAt = Date.now(); Date.now() - lastAt < QUIET_MS; ) await wait(QUIET_MS / 10);
    t.diagnostic(`${count - before} ${path}`);
  };
  await openHome(page);
  await settle("/", 0);
  for (const path of paths) {
    const before = count;
    await navigate(page, path);
    await settle(path, before);
  }
  t.diagnostic(`${count} requests for ${paths.length + 1} pages`);
  assert.ok(count < LIMIT, `${count} requests`);
});
