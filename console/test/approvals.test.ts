import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startOidcServer } from "../../server/test/support/oidc-server.ts";
import { checkAppearance } from "./support/appearance.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest, NARROW } from "./support/browser-test.ts";
import { createPerson, createSignedInUser, navigate } from "./support/people.ts";
import { startReceiver } from "./support/receiver.ts";
import { assignTools, createMailTool, createSwarm, sendMessage, waitUntil } from "./support/swarms.ts";

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

test("who asks decides on a call that is left to them, with its arguments, and the owner of the agent sees that", async (t, {
  openPage,
  instance,
}) => {
  const receiver = await startReceiver(t, instance);
  const page = await openPage(t);
  await createSignedInUser(page, createPerson("Ada"));
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Desk"], { name: "Shop" });
  const toolId = await createMailTool(api, `${receiver.url}/{to}`);
  await api.call("POST", "/rest/v1/agent_tools", { agent_id: agentIds[0], tool_id: toolId, approver: "asker" });
  const asker = await openPage(t);
  await createSignedInUser(asker, createPerson("Mary"));
  const { userId } = await getApiClient(asker, instance);
  const member = { swarm_id: swarmId, user_id: userId, role: "member", status: "active" };
  await api.callAsService("POST", "/rest/v1/swarm_members", member);

  await page.goto(`/swarms/${swarmId}`);
  await asker.goto(`/swarms/${swarmId}`);
  await sendMessage(asker, 'Write to bob\n/tool send_mail {"to":"bob"}');
  const [mine, others] = [asker, page].map((room) => room.getByRole("region", { name: "Approval of send_mail" }));
  await mine?.getByText('"bob"', { exact: true }).waitFor();
  await others?.getByText("Mary, who asked, decides.").waitFor();
  assert.equal(await others?.getByRole("button", { name: "Approve" }).count(), 0);
  assert.equal(receiver.received.length, 0);
  await mine?.getByRole("button", { name: "Approve" }).click();
  await waitUntil(() => Promise.resolve(receiver.received.length === 1));

  const grant = { agent_id: agentIds[0], audience: "user", user_id: userId, approver: "owner" };
  await api.call("POST", "/rest/v1/agent_grants", grant);
  await asker.goto("/for-you");
  await asker.getByRole("button", { name: "Accept Desk" }).click();
  await asker.getByRole("link", { name: "Desk", exact: true }).click();
  await asker.getByLabel("Message to Desk").fill('Write to eve\n/tool send_mail {"to":"eve"}');
  await asker.getByRole("button", { name: "Start conversation" }).click();
  await mine?.getByText('"eve"', { exact: true }).waitFor();
  await asker.getByRole("link", { name: "Approvals 1 waiting" }).click();
  const item = asker.getByRole("article", { name: "Desk: send_mail" });
  await item.getByText('"eve"', { exact: true }).waitFor();
  await item.getByRole("button", { name: "Approve" }).click();
  await waitUntil(() => Promise.resolve(receiver.received.length === 2));
  await navigate(page, "/approvals");
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
});

test("a tool that needs an account shows where to connect it, and can be declined", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  const toolId = await createMailTool(api, "https://mail.example/{to}");
  await api.call("POST", "/rest/v1/agent_tools", { agent_id: agentIds[0], tool_id: toolId });
  const asked: unknown[] = [];
  // Also for the tab that is opened. Other tests use the context afterwards.
  const context = page.context();
  t.after(() => context.unroute("**/functions/v1/tools"));
  await context.route("**/functions/v1/tools", async (route) => {
    asked.push(route.request().postDataJSON());
    await route.fulfill({ json: { authorization_url: `${instance.url}/account/connections` } });
  });
  await askToConnect(page);
  await page.goto(`/swarms/${swarmId}`);
  await sendMessage(page, 'Write to bob\n/tool send_mail {"to":"bob"}');
  const question = page.getByRole("region", { name: "Question of send_mail" });
  const link = question.getByRole("link", { name: "Connect" });
  await link.waitFor();
  await question.getByText("Opens login.example in a new tab.").waitFor();
  assert.equal(await question.getByRole("button", { name: /Approve|Answer/ }).count(), 0);
  await checkAppearance(page, "room-connect");

  const opening = page.waitForEvent("popup");
  await link.click();
  const tab = await opening;
  await tab.getByRole("heading", { name: "Connections" }).waitFor();
  assert.partialDeepStrictEqual(asked[0], {
    action: "authorize",
    tool_execution_id: new URL(await link.evaluate((a) => (a as HTMLAnchorElement).href)).pathname.split("/").at(-1),
    redirect_to: `${instance.url}/tools/authorized`,
  });
  await tab.close();

  await navigate(page, "/approvals");
  const item = page.getByRole("article", { name: "Ada: send_mail" });
  await item.getByRole("link", { name: "Connect" }).waitFor();
  await item.getByRole("button", { name: "Decline" }).click();
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  await waitUntil(async () => {
    const rows = await api.call("GET", `/rest/v1/tool_executions?swarm_id=eq.${swarmId}&select=status`);
    return (rows as { status: string }[])[0]?.status === "denied";
  });
});

test("an account is connected at an authorization server, from the page where an agent is tried", async (t, {
  openPage,
  instance,
}) => {
  const pem = await readFile(join(instance.dataDir, "tls/localhost.pem"));
  const { origin } = await startOidcServer(t, { tls: { key: pem, cert: pem }, host: "localhost" });
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const [agent] = (await api.call("POST", "/rest/v1/agents", { name: "Ada" })) as { id: string }[];
  const [tool] = (await api.call("POST", "/rest/v1/tools", {
    name: "whoami",
    description: "Says who asks.",
    config: { url: `${origin}/api`, auth: { type: "oauth", account: "asker" } },
  })) as { id: string }[];
  await api.call("POST", "/rest/v1/agent_tools", { agent_id: agent?.id, tool_id: tool?.id });
  await page.goto(`/agents/${agent?.id}/try`);
  const field = page.getByLabel("Message to Ada");
  await field.fill("/tool whoami {}");
  await field.press("Enter");
  const link = page.getByRole("link", { name: "Connect", exact: true });
  await link.waitFor();
  assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
  await checkAppearance(page, "agent-try-connect");
  const opening = page.waitForEvent("popup");
  await link.click();
  const tab = await opening;
  await tab.getByText(`Connected to ${new URL(origin).host}.`, { exact: true }).waitFor();
  await tab.getByRole("heading", { name: "Connections" }).waitFor();
  await tab.close();
  await page.getByText(/whoami returned: .*api for alice/).waitFor();
  await link.waitFor({ state: "detached" });
});

/** Replaces the approval that a call waits for by the question of a tool that needs an account. */
async function askToConnect(page: Page): Promise<void> {
  const question = { id: "q", kind: "connect", message: "Connect your mail account.", url: "https://login.example/" };
  await page.route("**/rest/v1/tool_executions?*", async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const body = text.replaceAll('"question":null', `"question":${JSON.stringify(question)}`);
    await route.fulfill({ response, body });
  });
}
