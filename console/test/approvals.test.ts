import assert from "node:assert/strict";
import { checkAppearance } from "./support/appearance.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest, NARROW } from "./support/browser-test.ts";
import { createPerson, createSignedInUser, navigate } from "./support/people.ts";
import { assignTools, createSwarm, waitUntil } from "./support/swarms.ts";

const test = createBrowserTest();

test("a waiting tool call is in the inbox, the badge and the title of its agent's owner, and of nobody else", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"], { name: "Mail room" });
  const [adaId = ""] = agentIds;
  await assignTools(api, adaId);
  await page.goto("/approvals");
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  await checkAppearance(page, "approvals-empty");
  assert.equal(await page.title(), "Approvals · Swarmbase");

  const member = await openPage(t, { width: NARROW });
  await createSignedInUser(member, createPerson("Mary"));
  const { userId } = await getApiClient(member, instance);
  await api.callAsService("POST", "/rest/v1/swarm_members", {
    swarm_id: swarmId,
    user_id: userId,
    role: "member",
    status: "active",
  });
  await member.goto("/swarms");
  await member.getByRole("link", { name: "Mail room" }).waitFor();

  const ask = (to: string) =>
    api.call("POST", "/functions/v1/agent-respond", {
      swarm_id: swarmId,
      message: `Write to ${to}\n/tool send_mail {"to":"${to}"}`,
      background: true,
    });
  await ask("bob");
  const item = page.getByRole("article", { name: "Ada: send_mail" });
  await item.getByText('"bob"', { exact: true }).waitFor();
  await item.getByText(/Denied automatically/).waitFor();
  await page.waitForFunction(() => document.title === "(1) Approvals · Swarmbase");
  await page.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
  await checkAppearance(page, "approvals");

  await member.getByText("Waiting", { exact: true }).filter({ visible: true }).waitFor();
  assert.equal(await member.getByText("Action required").count(), 0);
  assert.equal(await member.title(), "Swarms · Swarmbase");
  await navigate(member, "/approvals");
  await member.getByRole("heading", { name: "Nothing waits for you" }).waitFor();

  await item.getByRole("button", { name: "Deny" }).click();
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  await page.waitForFunction(() => document.title === "Approvals · Swarmbase");
  await waitUntil(async () => {
    const path = `/rest/v1/tool_executions?swarm_id=eq.${swarmId}&select=status,decided_by`;
    const [call] = (await api.call("GET", path)) as { status: string; decided_by: string }[];
    return call?.status === "denied" && call.decided_by === api.userId;
  });
});
