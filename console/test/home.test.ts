import assert from "node:assert/strict";
import { checkAppearance } from "./support/appearance.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, openHome } from "./support/people.ts";
import { assignTools, createSwarm } from "./support/swarms.ts";

const test = createBrowserTest();

test("the home page shows what needs the user, what happens now, and the usage of today", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"], { name: "Mail room" });
  const [adaId = ""] = agentIds;
  await assignTools(api, adaId);
  await api.call("PATCH", `/rest/v1/user_settings?user_id=eq.${api.userId}`, { daily_token_budget: 100_000 });
  await openHome(page);
  const attention = page.getByRole("region", { name: "Needs you" });
  const underWay = page.getByRole("region", { name: "Happening now" });
  await attention.getByText("Nothing.").waitFor();
  await underWay.getByText("No agent is working.").waitFor();

  // Without a reload of the page.
  const ask = { swarm_id: swarmId, message: 'Write to bob\n/tool send_mail {"to":"bob"}', background: true };
  await api.call("POST", "/functions/v1/agent-respond", ask);
  await attention.getByText("Ada wants to use send_mail in Mail room").waitFor();
  await underWay.getByRole("link", { name: "Mail room" }).waitFor();
  await underWay.getByText("Action required").waitFor();

  const { swarmId: other } = await createSwarm(api, ["Max"], { name: "Bad luck" });
  const refused = { swarm_id: other, message: "Go\n/fail refusal" };
  await assert.rejects(api.call("POST", "/functions/v1/agent-respond", refused), /PROVIDER_ERROR/);
  await attention.getByText(/^The last run in Bad luck failed/).waitFor();
  const meter = page.getByRole("meter", { name: "Token budget" });
  await meter.waitFor();
  await page.getByRole("img", { name: /^Tokens of the last 14 days/ }).waitFor();
  await page.getByRole("region", { name: "Recent conversations" }).getByRole("link", { name: "Bad luck" }).waitFor();
  await checkAppearance(page, "home-dashboard");

  // A later run that succeeds settles the failure.
  await api.call("POST", "/functions/v1/agent-respond", { swarm_id: other, message: "Once more" });
  await attention.getByText(/^The last run in Bad luck failed/).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Hide list" }).click();
  await page.getByRole("heading", { name: "First steps" }).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Welcome back, Grace" }).waitFor();
  await attention.getByRole("link", { name: "Decide" }).click();
  await page.getByRole("article", { name: "Ada: send_mail" }).waitFor();
});
