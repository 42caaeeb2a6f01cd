import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { enrolFactor } from "./support/factor.ts";
import { createPerson, createSignedInUser, navigate } from "./support/people.ts";
import { assignTools, sendMessage } from "./support/swarms.ts";

const test = createBrowserTest({ EXTENSIONS: "operator", OPERATOR_ENABLED: "true" });
const AGENT = {
  name: "Helper",
  role: "Support",
  description: "Answers questions about orders.",
  starter_questions: ["Where is my order?", "How do I return it?"],
};

async function saveGrant(page: Page, fields: Readonly<Record<string, string>>, action: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  for (const [label, value] of Object.entries(fields)) {
    const field = dialog.getByLabel(new RegExp(`^${label}(?: \\(optional\\))?$`));
    if ((await field.evaluate(({ tagName }) => tagName)) === "SELECT") await field.selectOption(value);
    else await field.fill(value);
  }
  await dialog.getByRole("button", { name: action, exact: true }).click();
}

test("an agent is published to one customer, who asks it in private until it is withdrawn", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/403/] });
  await createSignedInUser(page, createPerson("Ada"));
  const api = await getApiClient(page, instance);
  const [agent] = (await api.call("POST", "/rest/v1/agents", AGENT)) as { id: string }[];
  const agentId = agent?.id ?? "";
  await assignTools(api, agentId);
  const customer = await openPage(t);
  await createSignedInUser(customer, createPerson("Bob"));
  const { userId: bobId } = await getApiClient(customer, instance);
  await customer.goto("/for-you");
  await customer.getByRole("heading", { name: "No agent is published for you" }).waitFor();

  await page.goto(`/agents/${agentId}/publish`);
  await page.getByRole("heading", { name: "Only you can ask this agent" }).waitFor();
  await page.getByRole("button", { name: "New grant" }).click();
  await page.getByRole("dialog").getByLabel("For", { exact: true }).selectOption("everyone");
  await page.getByRole("dialog").getByText("AGENT_PUBLISHERS=users").waitFor();
  await saveGrant(page, {}, "Create grant");
  await page.getByText("Only the service role grants an agent to everyone or to a claim.").waitFor();
  await checkAppearance(page, "grant-form");
  await saveGrant(page, { For: "user", "User id": bobId, "Runs a day of each customer": "20" }, "Create grant");
  await page.getByText("The grant is created.", { exact: true }).waitFor();
  const row = page.getByRole("listitem", { name: `User ${bobId}` });
  await row.getByText("Offered", { exact: true }).waitFor();
  await row.getByText(/20 runs a day each/).waitFor();
  const preview = page.getByRole("region", { name: "Preview as a customer" });
  await preview.getByText("Who pays: the owner of the agent.").waitFor();
  await preview.getByText(/can send text to https:\/\/example.com/).waitFor();
  await checkAppearance(page, "publish");

  await customer.goto("/for-you");
  const offer = customer.getByRole("article", { name: "Offer of Helper" });
  await offer.getByText("At most 20 runs a day.").waitFor();
  await checkAppearance(customer, "for-you-offer");
  await offer.getByRole("button", { name: "Accept Helper" }).click();
  await customer.getByRole("link", { name: "Helper", exact: true }).click();
  await customer.getByText(/who then sees the arguments of the call/).waitFor();
  await checkAppearance(customer, "for-you-agent");
  await customer.getByRole("button", { name: "Where is my order?" }).click();
  await customer.getByRole("button", { name: "Start conversation" }).click();
  await customer.waitForURL(/\/swarms\/[0-9a-f-]{36}$/);
  const conversation = new URL(customer.url()).pathname;
  await customer
    .getByText(/\[simulated\]/)
    .first()
    .waitFor();

  const side = customer.getByRole("complementary", { name: "Agents and people" });
  await side.getByText("Bob", { exact: false }).first().waitFor();
  await side.getByText("Helper", { exact: true }).waitFor();
  assert.equal(await side.getByRole("button", { name: /^(?:Invite|Add)$/ }).count(), 0);

  await navigate(customer, `${conversation}/runs`);
  await customer.getByRole("button", { name: "Open the run: Where is my order?" }).click();
  await customer.getByText(/Only its owner sees its turns and model calls/).waitFor();

  await navigate(page, `/agents/${agentId}/customers`);
  await page.getByText("Customer: Bob").filter({ visible: true }).waitFor();
  await checkAppearance(page, "customers");
  // From Home, the most expensive customer of all agents is one click away.
  await navigate(page, "/");
  await page.getByRole("link", { name: "Usage", exact: true }).first().click();
  const most = page.getByRole("region", { name: "Most expensive customers" });
  await most.getByText("Bob").filter({ visible: true }).first().waitFor();
  await checkAppearance(page, "usage-customers");
  await most.getByRole("link", { name: "Helper" }).filter({ visible: true }).click();
  await page.getByText("Customer: Bob").filter({ visible: true }).waitFor();
  await page.getByLabel("Order").selectOption("errors");
  assert.match(page.url(), /sort=errors/);

  await navigate(customer, conversation);
  await sendMessage(customer, 'Write to bob\n/tool send_mail {"to":"bob"}');
  await customer.getByText("The owner of Helper decides.").waitFor();
  await navigate(page, "/approvals");
  const waiting = page.getByRole("article", { name: "Helper: send_mail" });
  await waiting.getByText('"bob"', { exact: true }).waitFor();
  await waiting.getByText(/In a private conversation of somebody who asks your agent/).waitFor();
  assert.equal(await waiting.getByRole("link").count(), 0);
  await waiting.getByRole("button", { name: "Deny" }).click();
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();

  await navigate(page, `/agents/${agentId}/publish`);
  const named = page.getByRole("listitem", { name: "Bob", exact: true });
  await named.getByLabel("Version for Bob").selectOption("1");
  await page.getByText("Bob: version 1.", { exact: true }).waitFor();
  await named.getByRole("button", { name: /^Move to version/ }).click();
  await named.getByRole("button", { name: /^Move to version/ }).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.waitForFunction(
    () => document.querySelector<HTMLSelectElement>('[aria-label="Version for Bob"]')?.value === "1",
  );
  await named.getByRole("button", { name: "Edit the grant of Bob" }).click();
  await saveGrant(page, { Version: "as it is", "Who approves tool calls": "asker" }, "Save");
  await named.getByText("Offered", { exact: true }).waitFor();

  await customer.goto("/for-you");
  await customer.getByRole("article", { name: "Offer of Helper" }).getByText("Who approves tool calls: you.").waitFor();
  await customer.getByRole("button", { name: "Accept Helper" }).click();
  await customer.getByText("You can ask Helper now.", { exact: true }).waitFor();
  await navigate(customer, conversation);
  await sendMessage(customer, 'Write to eve\n/tool send_mail {"to":"eve"}');
  await customer.getByRole("region", { name: "Approval of send_mail" }).getByRole("button", { name: "Deny" }).waitFor();
  await navigate(customer, "/approvals");
  await customer.getByRole("article", { name: "Helper: send_mail" }).getByRole("button", { name: "Deny" }).click();
  await customer.getByRole("heading", { name: "Nothing waits for you" }).waitFor();

  await named.getByRole("button", { name: "Delete the grant of Bob" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete grant" }).click();
  await page.getByRole("heading", { name: "Only you can ask this agent" }).waitFor();
  await customer.goto(conversation);
  await customer.getByText(/The agent no longer answers you/).waitFor();
  await customer.getByText("Where is my order?").first().waitFor();
});

test("an operator publishes to everyone, and a customer knows before the first message who reads", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page, createPerson("Olga"));
  const api = await getApiClient(page, instance);
  const [agent] = (await api.call("POST", "/rest/v1/agents", { ...AGENT, name: "Desk" })) as { id: string }[];
  const [tool] = (await api.call("POST", "/rest/v1/tools", {
    name: "refund",
    description: "Refunds.",
    config: { method: "POST", url: "https://shop.example/refunds", identity: "required" },
  })) as { id: string }[];
  const [httpGet] = (await api.call("GET", "/rest/v1/tools?name=eq.http_get&select=id")) as { id: string }[];
  for (const { id } of [tool, httpGet].flatMap((found) => found ?? []))
    await api.call("POST", "/rest/v1/agent_tools", { agent_id: agent?.id, tool_id: id });
  await api.callAsService("PATCH", `/rest/v1/agents?id=eq.${agent?.id}`, { acts_for_askers: true });
  await api.callAsService("POST", "/operator/v1/operators", { user_id: api.userId });
  await enrolFactor(page, instance);
  await page.goto(`/agents/${agent?.id}/publish`);
  await page.getByRole("button", { name: "New grant" }).click();
  await page.getByRole("dialog").getByLabel("For", { exact: true }).selectOption("everyone");
  await page.getByText("You are an operator: the grant is written as the service role.").waitFor();
  await saveGrant(page, { "Who reads the conversations": "owner" }, "Create grant");
  const row = page.getByRole("listitem", { name: "Everyone" });
  await row.getByText(/you read the conversations/).waitFor();
  const preview = page.getByRole("region", { name: "Preview as a customer" });
  await preview.getByText("Tools and checks can send text to any website, https://shop.example.").waitFor();
  await preview.getByText(/^Tools of the agent act in your name/).waitFor();
  await row.getByLabel("Version for Everyone").selectOption("1");
  await page.getByText("Everyone: version 1.", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Edit the grant of Everyone" }).click();
  await page.getByRole("dialog").getByRole("switch", { name: "Show my name" }).click();
  await saveGrant(page, { Ends: "2999-01-31T12:00" }, "Save");
  await row.getByText(/shows your name · ends/).waitFor();
  await page.getByRole("button", { name: "New grant" }).click();
  await page.getByRole("dialog").getByLabel("For", { exact: true }).selectOption("claim");
  await saveGrant(page, { Claim: '{"plan": "team"}', Priority: "3" }, "Create grant");
  await page
    .getByRole("listitem", { name: 'Accounts with {"plan":"team"}' })
    .getByText(/priority 3/)
    .waitFor();

  const customer = await openPage(t);
  await createSignedInUser(customer, createPerson("Carol"));
  await customer.goto(`/for-you/${agent?.id}`);
  await customer.getByText("The owner of the agent reads everything in this conversation.").waitFor();
  await customer.getByLabel("Message to Desk").fill("A secret of Carol");
  await customer.getByRole("button", { name: "Start conversation" }).click();
  await customer.getByText("The owner of Desk reads this conversation.").waitFor();
  await customer
    .getByText(/\[simulated\]/)
    .first()
    .waitFor();
  // The conversation began under a grant that said so.
  const everyone = `/rest/v1/agent_grants?agent_id=eq.${agent?.id}&audience=eq.everyone`;
  await api.callAsService("PATCH", everyone, { transcripts: "private" });
  await customer.reload();
  await customer.getByText("The owner of Desk reads this conversation. The owner has changed").waitFor();
  const read = new URL(customer.url()).pathname;
  await customer.goto(`/for-you/${agent?.id}`);
  await customer.getByLabel("Message to Desk").fill("Another secret of Carol");
  await customer.getByRole("button", { name: "Start conversation" }).click();
  await customer.waitForURL((url) => url.pathname.startsWith("/swarms/") && url.pathname !== read);
  await customer
    .getByText(/\[simulated\]/)
    .first()
    .waitFor();
  await api.callAsService("PATCH", everyone, { transcripts: "owner" });
  await customer.reload();
  await customer.getByText(/^The owner has changed who reads conversations/).waitFor();
  assert.equal(await customer.getByText("The owner of Desk reads this conversation.").count(), 0);
  await navigate(customer, read);
  await customer.getByText(/^The owner of Desk reads this conversation\. About the agent$/).waitFor();
  await page.goto(`/agents/${agent?.id}/customers`);
  await page.getByText("Customer: Carol").filter({ visible: true }).waitFor();
  await page.getByRole("link", { name: "the runs of the agent" }).click();
  await page.getByRole("button", { name: "Open the run: A secret of Carol" }).click();
  await page.getByRole("heading", { level: 1, name: "A secret of Carol" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "In the conversation" }).count(), 0);
});
