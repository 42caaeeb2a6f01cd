import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { type TestContext, test as plainTest } from "node:test";
import { createAskingServer } from "../../server/test/support/asking-mcp-server.ts";
import { createOAuthServer } from "../../server/test/support/oauth-mcp-server.ts";
import { completeAnswer } from "../src/components/complete-answer.ts";
import { listChoices } from "../src/components/json-schema.ts";
import type { Tool } from "../src/data/tools.ts";
import { findPlaceholders, readArguments, typeOf, withType, writeArguments } from "../src/pages/tools/arguments.ts";
import { readAuthorizationAnswer } from "../src/pages/tools/authorization-answer.ts";
import { EMPTY_TOOL, formOf, renderNew, renderUpdate } from "../src/pages/tools/tool-draft.ts";
import { renderRequest } from "../src/pages/tools/render-request.ts";
import { scanWithAxe } from "./support/axe.ts";
import type { Instance } from "./support/instance.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser, navigate } from "./support/people.ts";
import { startReceiver } from "./support/receiver.ts";
import { createSwarm, sendMessage } from "./support/swarms.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";

const test = createBrowserTest();
const SECRET = "a-token-that-nobody-may-see";

test("an HTTP tool is created, called, changed without entering its secret again, and deleted", async (t, {
  openPage,
  instance,
}) => {
  const receiver = await startReceiver(t, instance);
  const page = await openPage(t, { expected: [/400/] });
  const address = receiver.url.replace("/hook", "/orders/{number}");
  receiver.answer(200, JSON.stringify({ status: "on its way", token: SECRET }));
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await page.goto("/tools?from=mine");
  await page.getByRole("heading", { name: "No tool matches" }).waitFor();
  await page.getByText("Any HTTPS endpoint can be a tool").waitFor();
  await checkAppearance(page, "tools-none");

  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Create tool" }).click();
  await page.getByText("fields have errors").waitFor();
  await checkAppearance(page, "tool-refused");
  await page.getByLabel("Name", { exact: true }).fill("find order");
  await page.getByLabel("Description", { exact: true }).fill("Looks up an order by its number.");
  await page.getByLabel("Address").fill(address);
  await page.getByLabel("Credentials").selectOption("Bearer token");
  await page.getByLabel("Secret").fill(SECRET);
  await page.getByRole("button", { name: "Add {number} from the request" }).click();
  await page.getByLabel("Description of argument 1").fill("The number of the order");
  await page.getByRole("button", { name: "Create tool" }).click();
  await page.getByText("must begin with a letter or _").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("find_order");
  await page.getByText("GET https://localhost").waitFor();
  await checkAppearance(page, "tool-new");
  await page.getByRole("button", { name: "Create tool" }).click();

  await page.getByRole("heading", { level: 1, name: "find_order" }).waitFor();
  await page.getByRole("textbox", { name: /^Number/ }).fill("A-17");
  await page.getByRole("button", { name: "Run test" }).click();
  await page.getByText("Succeeded").waitFor();
  await page.getByText('"on its way"').waitFor();
  await checkAppearance(page, "tool-test");
  assert.equal(receiver.received[0]?.headers.authorization, `Bearer ${SECRET}`);
  assert.ok(!(await page.content()).includes(SECRET), "the secret came back");

  await page.getByRole("tab", { name: "Edit" }).click();
  await page.getByText("A secret is stored").waitFor();
  await page.getByLabel("Description", { exact: true }).fill("Looks up an order.");
  await page.getByRole("switch", { name: /^Require approval/ }).click();
  await page.getByRole("switch", { name: /^Safe to repeat/ }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All changes saved").waitFor();
  await page.getByLabel("Address").fill("https://elsewhere.example/{number}");
  await page.getByText("The stored secret is not sent to another host").waitFor();
  await checkAppearance(page, "tool-edit");
  await page.getByRole("button", { name: "Discard" }).click();
  const [stored] = (await api.call("GET", "/rest/v1/tools?name=eq.find_order")) as Tool[];
  assert.deepEqual([stored?.secret_names, stored?.requires_approval, stored?.idempotent], [["token"], true, true]);

  receiver.answer(500, "it broke");
  await page.getByRole("tab", { name: "Test call" }).click();
  await page.getByRole("textbox", { name: /^Number/ }).fill("A-18");
  await page.getByRole("button", { name: "Run test" }).click();
  await page.getByText("Failed").waitFor();
  await page.getByText("TOOL_HTTP_ERROR").waitFor();
  assert.equal(receiver.received[1]?.headers.authorization, `Bearer ${SECRET}`);

  receiver.answer(200, "found");
  const [agent] = (await api.call("POST", "/rest/v1/agents", { name: "Ada" })) as { id: string }[];
  await api.call("POST", "/rest/v1/agent_tools", { agent_id: agent?.id, tool_id: stored?.id });
  await page.goto(`/agents/${agent?.id}/try`);
  await page.getByLabel("Message to Ada").fill('/tool find_order {"number":"A-19"}');
  await page.keyboard.press("Enter");
  await page.getByText("Ada wants to use").waitFor();
  await checkAppearance(page, "agent-approval");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText(/^done/).waitFor();

  await page.goto(`/tools/${stored?.id}`);
  await page.getByRole("link", { name: "Ada" }).waitFor();
  await checkAppearance(page, "tool-overview");
  await page.getByRole("tab", { name: "Calls" }).click();
  await page.getByText("Succeeded").filter({ visible: true }).waitFor();
  await checkAppearance(page, "tool-calls");
  await page.getByRole("button", { name: "Code" }).click();
  await page.getByText("Before the first call").click();
  await scanWithAxe(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More about find_order" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("One of your agents has this tool").waitFor();
  await page.getByLabel(/^Type/).fill("find_order");
  await page.getByRole("button", { name: "Delete the tool" }).click();
  await page.getByRole("heading", { name: "calculator" }).waitFor();
  await page.getByRole("heading", { name: "find_order" }).waitFor({ state: "detached" });
});

test("tools of an MCP server are selected and imported, and errors of the server are shown", async (t, environment) => {
  const url = await startMcpServer(t, environment.instance);
  const page = await environment.openPage(t, { expected: [/400|502/] });
  await createSignedInUser(page);
  await page.goto("/tools");
  await page.getByRole("heading", { name: "calculator" }).waitFor();
  await checkAppearance(page, "tools");
  await page.getByRole("link", { name: "Import from MCP" }).click();
  await page.getByRole("button", { name: "List tools" }).click();
  await page.getByText("must begin with https://").waitFor();
  await page.getByLabel("Address").fill("https://localhost:1/mcp");
  await page.getByRole("button", { name: "List tools" }).click();
  await page.getByRole("alert").filter({ hasText: /\w/ }).waitFor();
  await checkAppearance(page, "import-failed");
  await page.getByLabel("Address").fill(url);
  await page.getByLabel("Credentials").selectOption("Custom header");
  await page.getByLabel("Header", { exact: true }).fill("X-Mcp-Key");
  await page.getByLabel("Secret").fill(SECRET);
  await page.getByRole("button", { name: "List tools" }).click();
  await page.getByRole("heading", { name: "The server has 2 tools" }).waitFor();
  await checkAppearance(page, "import-choose");
  await page.getByRole("checkbox", { name: "find_city" }).click();
  await page.getByRole("button", { name: "Import 1 tool" }).click();
  await page.getByRole("heading", { name: "1 tool is imported" }).waitFor();
  await scanWithAxe(page);
  await page.getByRole("link", { name: "get_weather" }).click();
  await page.getByText("The tool get.weather of an MCP server").waitFor();
  await page.getByRole("tab", { name: "Test call" }).click();
  await page.getByRole("textbox", { name: /^Place/ }).fill("Bergen");
  await page.getByRole("button", { name: "Run test" }).click();
  await page.getByText("Rain in Bergen").waitFor();
});

test("a tool of a server with OAuth is connected, asks the owner of its agent, and is disconnected", async (t, {
  openPage,
  instance,
}) => {
  const pem = await readFile(join(instance.dataDir, "tls/localhost.pem"));
  const url = await listen(t, createOAuthServer(createAskingServer, { credential: { key: pem, cert: pem } }).server);
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  await page.goto("/tools/import");
  await page.getByLabel("Address").fill(url);
  await page.getByLabel("Credentials").selectOption("Sign-in at the server (OAuth)");
  await page.getByText("Not connected").waitFor();
  await checkAppearance(page, "import-oauth");
  await page.getByRole("main").getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByText(/^Connected to localhost/).waitFor();
  await page.getByText("Granted: tools.").waitFor();
  await page.getByRole("button", { name: "List tools" }).click();
  await page.getByRole("button", { name: "Import 1 tool" }).click();
  await page.getByRole("link", { name: "order", exact: true }).click();
  await page.getByRole("heading", { name: "Connection" }).waitFor();
  await checkAppearance(page, "tool-connected");

  const [tool] = (await api.call("GET", "/rest/v1/tools?name=eq.order")) as { id: string; config: unknown }[];
  assert.deepEqual(tool?.config, { url, remote_name: "order", headers: {}, auth: { type: "oauth" } });
  await api.call("POST", "/rest/v1/agent_tools", { agent_id: agentIds[0], tool_id: tool?.id });
  await navigate(page, `/swarms/${swarmId}`);
  await sendMessage(page, "/tool order {}");
  const question = page.getByRole("region", { name: "Question of order" });
  await question.getByText("What is ordered?").waitFor();
  await question.getByRole("button", { name: "Answer" }).click();
  await question.getByText("Enter a value.").first().waitFor();
  await checkAppearance(page, "room-question");
  await question.getByLabel("Size").selectOption("large");
  await question.getByLabel("Count").fill("2");
  await question.getByRole("switch", { name: "Gift" }).click();
  await question.getByRole("button", { name: "Answer" }).click();
  await page
    .getByText(/Answer: .*"size":"large","count":2,"gift":true/)
    .first()
    .waitFor();

  await navigate(page, `/tools/${tool?.id}`);
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("Not connected").waitFor();
});

/** An MCP server that supports listing and calling tools and requires a key. */
async function startMcpServer(t: TestContext, { dataDir }: Instance): Promise<string> {
  const pem = await readFile(join(dataDir, "tls/localhost.pem"));
  const place = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
  const answers: Readonly<Record<string, (params: Record<string, unknown>) => unknown>> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "weather", version: "1" },
    }),
    "tools/list": () => ({
      tools: [
        { name: "get.weather", description: "The weather of a place.", inputSchema: place },
        { name: "find_city", description: "Finds a city.", inputSchema: { type: "object", properties: {} } },
      ],
    }),
    "tools/call": (params) => ({
      content: [{ type: "text", text: `Rain in ${(params["arguments"] as { place: string }).place}` }],
    }),
  };
  const speak = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (request.headers["x-mcp-key"] !== SECRET) return void response.writeHead(401).end();
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id?: number;
      method: string;
      params?: Record<string, unknown>;
    };
    if (id === undefined) return void response.writeHead(202).end();
    const answer = answers[method];
    const body =
      answer === undefined ? { error: { code: -32601, message: "unknown" } } : { result: answer(params ?? {}) };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  };
  return listen(
    t,
    createServer({ key: pem, cert: pem }, (request, response) => void speak(request, response)),
  );
}

/** Returns the URL of the MCP endpoint. */
async function listen(t: TestContext, server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `https://localhost:${address.port}/mcp`;
}

plainTest("readArguments and writeArguments round-trip a schema and keep its other keywords", () => {
  const schema = {
    type: "object",
    additionalProperties: false,
    properties: { a: { type: "string", description: "A" }, b: { type: ["string", "null"] } },
    required: ["a"],
  };
  const list = readArguments(schema);
  assert.deepEqual(
    list.map((argument) => [argument.name, typeOf(argument), argument.isRequired]),
    [
      ["a", "string", true],
      ["b", "other", false],
    ],
  );
  assert.deepEqual(writeArguments(schema, list), schema);
  assert.deepEqual(writeArguments(schema, []), { type: "object", additionalProperties: false, properties: {} });
  assert.deepEqual(withType({ type: "string", description: "A" }, "texts"), {
    type: "array",
    items: { type: "string" },
    description: "A",
  });
  assert.deepEqual(findPlaceholders("https://x.example/{a}?q={b}", { c: ["{d}", "{a}"] }), ["a", "b", "d"]);
});

plainTest("a tool keeps OAuth when it is edited, and loses the secrets that it no longer needs", () => {
  const auth = { ...EMPTY_TOOL.auth, type: "oauth" } as const;
  const made = renderNew({ ...EMPTY_TOOL, kind: "mcp", name: "a", url: "https://x.example", remoteName: "a", auth });
  assert.deepEqual(made.config, { url: "https://x.example", remote_name: "a", auth: { type: "oauth" } });
  assert.equal(made.secrets, undefined);
  const tool = { ...made, category: null, icon: null, secret_names: ["token"] } as unknown as Tool;
  assert.deepEqual(renderUpdate(formOf(tool), tool).config, made.config);
  assert.deepEqual(renderUpdate(formOf(tool), tool).secrets, {});
});

plainTest("the answer of an authorization server is read from the fragment", () => {
  const cases = [
    ["#code=c&state=s&iss=https%3A%2F%2Fa.example", { code: "c", state: "s", iss: "https://a.example" }],
    ["#code=c&state=s", { code: "c", state: "s" }],
    ["#error=access_denied&state=s", { refusal: "You did not agree." }],
    ["#error=server_error&error_description=Down&state=s", { refusal: "Down" }],
    ["", { refusal: "The address has no answer of the server." }],
  ] as const;
  for (const [fragment, answer] of cases) assert.deepEqual(readAuthorizationAnswer(fragment), answer, fragment);
});

plainTest("an answer has the defaults and the switches that are off, and needs the required properties", () => {
  const schema = {
    properties: {
      size: { type: "string", enum: ["s", "m"] },
      count: { type: "integer", default: 1 },
      gift: { type: "boolean" },
      note: { type: "string" },
    },
    required: ["size", "gift"],
  };
  assert.deepEqual(completeAnswer(schema, {}), {
    content: { count: 1, gift: false },
    faults: { size: "Enter a value." },
  });
  assert.deepEqual(completeAnswer(schema, { size: "m", count: 0, gift: true }), {
    content: { size: "m", count: 0, gift: true },
    faults: {},
  });
  assert.deepEqual(completeAnswer({}, {}), { content: {}, faults: {} });
});

plainTest("a schema of texts is a choice, with titles where it has them", () => {
  const cases = [
    [{ enum: ["s", "m"] }, ["s", "m"]],
    [{ oneOf: [{ const: "s", title: "Small" }, { const: "m" }] }, ["Small", "m"]],
    [{ enum: [1, 2] }, undefined],
    [{ enum: [] }, undefined],
    [{ oneOf: [{ title: "Any" }] }, undefined],
    [{ type: "string" }, undefined],
  ] as const;
  for (const [schema, labels] of cases)
    assert.deepEqual(
      listChoices(schema)?.map(({ label }) => label),
      labels,
    );
});

plainTest("renderUpdate sends a new secret, and removes secrets that are no longer used", () => {
  const auth = { ...EMPTY_TOOL.auth, type: "bearer", value: SECRET } as const;
  const made = renderNew({ ...EMPTY_TOOL, name: "a", url: " https://x.example/{n} ", auth });
  assert.deepEqual(made.secrets, { token: SECRET });
  assert.deepEqual(made.config, {
    url: "https://x.example/{n}",
    method: "GET",
    auth: { type: "bearer", secret: "token" },
  });
  const stored = { ...made, category: null, icon: null, timeout_ms: 1, max_output_chars: 1, secret_names: ["token"] };
  const tool = stored as unknown as Tool;
  assert.equal(renderUpdate(formOf(tool), tool).secrets, undefined);
  assert.deepEqual(renderUpdate({ ...formOf(tool), auth: EMPTY_TOOL.auth }, tool).secrets, {});
  const shown = renderRequest({ ...formOf(tool), auth, method: "POST" });
  assert.ok(shown.startsWith("POST https://x.example/{n}\nAuthorization: Bearer •") && !shown.includes(SECRET));
});
