import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { fillEveryField, HOSTILE, expandDetails, waitForField } from "./support/crawl.ts";
import { enrolFactor } from "./support/factor.ts";
import type { Instance } from "./support/instance.ts";
import { createPerson, createSignedInUser, signIn } from "./support/people.ts";
import { assignTools, createSwarm } from "./support/swarms.ts";
import { type ApiClient, getApiClient } from "./support/api-client.ts";
import { NARROW, createBrowserTest, WIDE } from "./support/browser-test.ts";

const test = createBrowserTest();
const operatorTest = createBrowserTest({
  EXTENSIONS: "operator",
  OPERATOR_ENABLED: "true",
  ACCESS_LOG_ENABLED: "true",
});

interface PageVisit {
  readonly path: string;
  readonly keys?: string;
  /** Options to select, by the label of the list. */
  readonly choose?: readonly [label: string, option: string];
  /** Buttons that reveal the fields, by name. */
  readonly press?: readonly RegExp[];
  readonly hasNoField?: boolean;
  /** The steps to the page depend on the width. */
  readonly widths?: readonly number[];
}

/** Visits fifty pages one after another, which takes longer than other tests. */
const SLOW = { timeout: 900_000 };
/** The consent to a request that has ended. */
const ENDED = /status of 404 .*\/oauth\/authorizations\//;
const LONG_NAME = "W".repeat(100);

test(
  "every page fits the screen and is accessible in both widths and themes, whatever is typed into its fields",
  async (t, { openPage, instance }) => {
    const page = await openPage(t, { expected: [ENDED] });
    const { crawl, found } = startCrawl(page);
    await crawl(ENTRY);
    const person = await createSignedInUser(page);
    await crawl(await createVisits(page, instance));
    await enrolFactor(page, instance);
    await page.evaluate(() => localStorage.clear());
    await page.goto("/sign-in");
    await signIn(page, person);
    await page.waitForURL("/second-factor");
    await crawl([{ path: "/second-factor" }]);
    assert.deepEqual(found.problems, []);
    assert.ok(found.fields > 50, `${found.fields} fields were found`);
  },
  SLOW,
);

operatorTest(
  "every page of operators fits the screen and is accessible in both widths and themes, whatever is typed into its fields",
  async (t, { openPage, instance }) => {
    const page = await openPage(t);
    const { crawl, found } = startCrawl(page);
    await createSignedInUser(page, createPerson(HOSTILE.slice(0, 60)));
    const visits = await createOperatorVisits(page, instance);
    await enrolFactor(page, instance);
    await crawl(visits);
    assert.deepEqual(found.problems, []);
    assert.ok(found.fields > 10, `${found.fields} fields were found`);
  },
  SLOW,
);

function startCrawl(page: Page) {
  // Forms ask for confirmation before unsaved input is lost.
  page.on("dialog", (dialog) => void dialog.accept());
  const found = { problems: [] as string[], fields: 0 };
  const crawl = async (visits: readonly PageVisit[]) => {
    for (const visited of visits) {
      const { problems, count } = await visit(page, visited).catch((error: unknown) => {
        throw new Error(`${visited.path} ${(visited.press ?? []).join(" ")} could not be crawled`, { cause: error });
      });
      found.problems.push(...problems);
      found.fields += count;
    }
  };
  return { crawl, found };
}

const ENTRY: readonly PageVisit[] = [
  { path: "/sign-in" },
  { path: "/sign-up" },
  { path: "/magic-link" },
  { path: "/recover" },
];

async function visit(page: Page, visited: PageVisit) {
  const { path, keys, choose, press = [], hasNoField = false, widths = [WIDE, NARROW] } = visited;
  await page.setViewportSize({ width: widths[0] ?? WIDE, height: 800 });
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  if (keys !== undefined) await page.keyboard.press(keys);
  if (choose !== undefined) await page.getByLabel(choose[0]).selectOption(choose[1]);
  for (const name of press) {
    const control = page
      .getByRole("button", { name })
      .or(page.getByRole("menuitem", { name }))
      .or(page.getByRole("radio", { name }));
    await control.first().click();
  }
  if (!hasNoField) await waitForField(page);
  await expandDetails(page);
  return fillEveryField(page, `${path} ${press.join(" ")}`, widths);
}

async function createVisits(page: Page, instance: Instance): Promise<readonly PageVisit[]> {
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, [LONG_NAME, "Max"], { name: LONG_NAME, description: HOSTILE });
  const [agentId = ""] = agentIds;
  await assignTools(api, agentId);
  const [tool] = (await api.call("GET", "/rest/v1/tools?name=eq.send_mail&select=id")) as { id: string }[];
  await api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content: HOSTILE });
  const [webhook] = (await api.call("POST", "/rest/v1/webhooks", {
    name: LONG_NAME,
    url: `https://receiver.example.com/${"w".repeat(400)}`,
    events: ["agent.deleted"],
    is_active: false,
  })) as { id: string }[];
  const [delivery] = (await api.callAsService("POST", "/rest/v1/webhook_deliveries", {
    webhook_id: webhook?.id,
    user_id: api.userId,
    event_id: randomUUID(),
    event_type: "agent.deleted",
    payload: { id: "evt_1", type: "agent.deleted", created_at: "2030-01-01T00:00:00Z", data: { name: HOSTILE } },
    status: "failed",
    response_body: HOSTILE,
    attempts: 1,
  })) as { id: string }[];
  await api.callAsService("POST", "/rest/v1/event_types", { name: `app.${"w".repeat(90)}`, description: HOSTILE });
  const [schedule] = (await api.call("POST", "/rest/v1/schedules", {
    name: LONG_NAME,
    agent_id: agentId,
    message: HOSTILE,
    cron: "0 0 1 1 *",
  })) as { id: string }[];
  const [trigger] = (await api.call("POST", "/rest/v1/triggers", {
    name: LONG_NAME,
    agent_id: agentId,
    message: HOSTILE.replaceAll("{{", "{ {"),
    verification: "hmac",
  })) as { id: string }[];
  const [feed] = (await api.call("POST", "/rest/v1/event_feeds", {
    name: LONG_NAME,
    events: ["agent.created"],
  })) as { id: string }[];
  const publishedId = await publishAgent(api, agentId);
  const asked = { swarm_id: swarmId, message: HOSTILE };
  const { run_id: runId } = (await api.call("POST", "/functions/v1/agent-respond", asked)) as { run_id: string };
  const run = `/runs/${runId}`;
  const dataset = `/evals/${await createDataset(api, agentId)}`;
  const swarm = `/swarms/${swarmId}`;
  const agent = `/agents/${agentId}`;
  const hook = `/webhooks/${webhook?.id}`;
  return [
    { path: "/", hasNoField: true },
    { path: "/", keys: "Control+k" },
    { path: "/new-password" },
    { path: "/agents" },
    { path: "/agents/new" },
    { path: agent, hasNoField: true },
    { path: `${agent}/settings` },
    { path: `${agent}/tools`, press: [/^Assign tool/] },
    { path: `${agent}/tools`, press: [/^Configure send_mail/] },
    { path: `${agent}/try` },
    { path: `${agent}/activity`, hasNoField: true },
    { path: `${agent}/history`, press: [/^Current$/, /^Another$/], hasNoField: true },
    { path: `${agent}/publish` },
    { path: `${agent}/publish`, press: [/^New grant/] },
    { path: `${agent}/customers`, hasNoField: true },
    { path: "/for-you", hasNoField: true },
    { path: `/for-you/${publishedId}` },
    { path: "/playground" },
    { path: "/playground", press: [/^Change column A/] },
    { path: "/playground", press: [/^More about column A/, /^Save as a version …/], hasNoField: true },
    { path: "/swarms" },
    { path: "/swarms/new" },
    { path: swarm },
    { path: swarm, press: [/^More about the message/, /^Edit/] },
    { path: swarm, press: [/^More about the message/, /^Flag …/] },
    { path: swarm, press: [/^Invite$/], widths: [WIDE] },
    { path: swarm, press: [/agents and people: open the list/, /^Invite$/], widths: [NARROW] },
    { path: `${swarm}/runs`, hasNoField: true },
    { path: `${swarm}/settings` },
    { path: `${swarm}/settings`, press: [/^Delete …/] },
    { path: "/runs" },
    { path: run, hasNoField: true },
    { path: run, press: [/^Run again/, /^One agent, apart/] },
    { path: run, press: [/^Compare/], hasNoField: true },
    { path: `/runs/compare?a=${runId}&b=${runId}`, hasNoField: true },
    { path: "/tools" },
    {
      path: "/tools/new",
      choose: ["Credentials", "User name and password"],
      press: [/^Add argument/, /^Add header/],
    },
    { path: "/tools/new", choose: ["Kind", "Database function"] },
    { path: "/tools/import" },
    { path: `/tools/${tool?.id}`, hasNoField: true },
    { path: `/tools/${tool?.id}/test` },
    { path: `/tools/${tool?.id}/edit` },
    { path: `/tools/${tool?.id}/calls`, hasNoField: true },
    { path: "/webhooks" },
    { path: "/webhooks/event-types", hasNoField: true },
    { path: "/webhooks/feeds", hasNoField: true },
    { path: "/webhooks/feeds/new" },
    { path: `/webhooks/feeds/${feed?.id}` },
    { path: "/webhooks/tester" },
    { path: "/webhooks/new", press: [/^Add header/] },
    { path: hook, hasNoField: true },
    { path: `${hook}/edit` },
    { path: `${hook}?tab=performance`, hasNoField: true },
    { path: `${hook}?tab=recovery`, hasNoField: true },
    { path: `${hook}?tab=setup`, hasNoField: true },
    { path: `${hook}/deliveries/${delivery?.id}`, press: [/^Sign it here/] },
    { path: "/approvals", hasNoField: true },
    { path: "/invitations", hasNoField: true },
    { path: "/events" },
    { path: "/evals" },
    { path: "/evals/new" },
    { path: dataset, hasNoField: true },
    { path: dataset, press: [/^Run …/], hasNoField: true },
    { path: `${dataset}/runs`, hasNoField: true },
    { path: `${dataset}/edit` },
    { path: `${dataset}/cases/new`, press: [/^Add text/] },
    { path: `${dataset}/cases/new`, choose: ["Expectation", "Judge"] },
    { path: "/guardrails", hasNoField: true },
    { path: "/guardrails/new" },
    { path: "/guardrails/new", choose: ["Kind", "Model"] },
    { path: "/guardrails/new", choose: ["Kind", "Webhook"], press: [/^Add header/] },
    { path: "/schedules" },
    { path: "/schedules/new" },
    { path: `/schedules/${schedule?.id}` },
    { path: "/triggers" },
    { path: "/triggers/new" },
    { path: `/triggers/${trigger?.id}` },
    { path: "/usage", hasNoField: true },
    { path: "/api", hasNoField: true },
    { path: "/account" },
    { path: "/account/security" },
    { path: "/account/security", press: [/^(Set up|Turn) /] },
    { path: "/account/sessions", hasNoField: true },
    { path: "/account/keys", hasNoField: true },
    { path: "/account/programs", hasNoField: true },
    { path: `/oauth/consent?authorization_id=${randomUUID()}`, hasNoField: true },
    { path: await registerProgram(api), hasNoField: true },
    { path: "/account/keys", press: [/^Create API key/] },
    { path: "/account/connections", hasNoField: true },
    { path: "/account/budgets" },
    { path: "/account/signing", hasNoField: true },
  ];
}

/** Registers a program with a long name; the path that asks the user to let it in. */
async function registerProgram(api: ApiClient): Promise<string> {
  const redirect = `https://${"w".repeat(60)}.example.com/callback`;
  const program = await api.callAsService("POST", "/auth/v1/admin/oauth/clients", {
    client_name: LONG_NAME,
    redirect_uris: [redirect],
    token_endpoint_auth_method: "none",
  });
  const query = new URLSearchParams({
    response_type: "code",
    client_id: (program as { client_id: string }).client_id,
    redirect_uri: redirect,
    scope: "read run",
    code_challenge: createHash("sha256").update(randomUUID()).digest("base64url"),
    code_challenge_method: "S256",
  });
  return `/auth/v1/oauth/authorize?${query.toString()}`;
}

/** Grants the user's agent to everyone, and an agent of somebody else to the user; the id of the latter. */
async function publishAgent(api: ApiClient, agentId: string): Promise<string> {
  const created = await api.callAsService("POST", "/auth/v1/admin/users", { email: `${randomUUID()}@example.com` });
  const [agent] = (await api.callAsService("POST", "/rest/v1/agents", {
    user_id: (created as { id: string }).id,
    name: LONG_NAME,
    description: HOSTILE,
    starter_questions: [HOSTILE.slice(0, 200)],
  })) as { id: string }[];
  const id = agent?.id ?? "";
  await api.callAsService("POST", "/rest/v1/agent_grants", [
    { agent_id: agentId, audience: "claim", claim: { [LONG_NAME]: LONG_NAME } },
    { agent_id: id, audience: "claim", claim: { provider: "email" } },
  ]);
  return id;
}

/** Makes the user of the page an operator, whose rows have hostile texts. */
async function createOperatorVisits(page: Page, instance: Instance): Promise<readonly PageVisit[]> {
  const api = await getApiClient(page, instance);
  await api.callAsService("POST", "/operator/v1/operators", { user_id: api.userId });
  await createSwarm(api, [LONG_NAME], { name: LONG_NAME, description: HOSTILE });
  const user = `/operator/users/${api.userId}`;
  return [
    { path: "/operator/users" },
    { path: "/operator/users", press: [/^New user/, /^Create/] },
    { path: user },
    { path: user, press: [/^Sign out everywhere/], hasNoField: true },
    { path: "/operator/tables" },
    { path: "/operator/tables/public/swarms" },
    { path: "/operator/tables/public/agents", press: [/^Edit name/] },
    { path: "/operator/logs" },
    { path: "/operator/metrics", hasNoField: true },
    { path: "/operator/nodes", hasNoField: true },
    { path: "/operator/services", press: [/^Send test$/], hasNoField: true },
    { path: "/operator/programs", press: [/^New program/] },
    { path: "/operator/settings" },
    { path: "/operator/audit" },
  ];
}

/** A dataset with a case and a run. */
async function createDataset(api: ApiClient, agentId: string): Promise<string> {
  const [dataset] = (await api.call("POST", "/rest/v1/eval_datasets", {
    name: LONG_NAME,
    description: HOSTILE,
  })) as { id: string }[];
  const id = dataset?.id ?? "";
  await api.call("POST", "/rest/v1/eval_cases", {
    dataset_id: id,
    name: LONG_NAME,
    input: HOSTILE,
    expectation: { kind: "contains", texts: [HOSTILE] },
  });
  await api.call("POST", "/rest/v1/eval_runs", {
    dataset_id: id,
    agent_id: agentId,
    agent_version: 1,
    status: "completed",
    case_count: 1,
  });
  return id;
}
