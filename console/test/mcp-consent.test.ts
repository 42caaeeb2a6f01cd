import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { Agent, fetch as fetchWith, type RequestInit } from "undici";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import type { Instance } from "./support/instance.ts";
import { createSignedInUser } from "./support/people.ts";

const test = createBrowserTest();

interface Program {
  readonly provider: OAuthClientProvider;
  /** Where the client of the program wants the browser; empty before that. */
  address: string;
  readonly answers: URLSearchParams[];
  tokens: OAuthTokens | undefined;
}

/** A program that is described by a document at an address of its own, and waits for the browser on this computer. */
async function startProgram(t: TestContext, instance: Instance): Promise<Program> {
  const pem = await readFile(join(instance.dataDir, "tls/localhost.pem"));
  const answers: URLSearchParams[] = [];
  const loopback = createPlainServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (pathname === "/callback") answers.push(searchParams);
    response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>Editor</title><h1>Connected</h1>");
  }).listen(0, "127.0.0.1");
  const site = createServer({ key: pem, cert: pem }, (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
  }).listen(0, "127.0.0.1");
  await Promise.all([once(loopback, "listening"), once(site, "listening")]);
  t.after(() => {
    for (const server of [loopback, site]) {
      server.closeAllConnections();
      server.close();
    }
  });
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  const redirectUrl = `http://127.0.0.1:${portOf(loopback)}/callback`;
  const clientMetadataUrl = `https://localhost:${portOf(site)}/client.json`;
  const metadata = {
    client_id: clientMetadataUrl,
    client_name: "Editor",
    redirect_uris: ["http://127.0.0.1/callback"],
    token_endpoint_auth_method: "none",
  };
  let client: OAuthClientInformationMixed | undefined;
  let verifier = "";
  let discovered: OAuthDiscoveryState | undefined;
  const program: Program = {
    address: "",
    answers,
    tokens: undefined,
    provider: {
      redirectUrl,
      clientMetadataUrl,
      clientMetadata: { ...metadata, redirect_uris: [redirectUrl] },
      state: () => "of the editor",
      clientInformation: () => client,
      saveClientInformation: (saved) => {
        client = saved;
      },
      tokens: () => program.tokens,
      saveTokens: (saved) => {
        program.tokens = saved;
      },
      redirectToAuthorization: (url) => {
        program.address = url.href;
      },
      saveCodeVerifier: (saved) => {
        verifier = saved;
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: (saved) => {
        discovered = saved;
      },
      discoveryState: () => discovered,
    },
  };
  return program;
}

test("the public client of MCP connects by consent, asks an agent, and is disconnected", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const [agent] = (await api.call("POST", "/rest/v1/agents", { name: "Ann" })) as [{ id: string }];
  const program = await startProgram(t, instance);
  const dispatcher = new Agent({ connect: { ca: await readFile(join(instance.dataDir, "tls/ca-cert.pem")) } });
  t.after(() => dispatcher.destroy());
  const open = () => {
    const client = new Client({ name: "editor", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", instance.url), {
      authProvider: program.provider,
      fetch: ((input: string, init: RequestInit) =>
        fetchWith(input, { ...init, dispatcher })) as unknown as typeof fetch,
    });
    return { client, transport };
  };

  const first = open();
  await assert.rejects(first.client.connect(first.transport), UnauthorizedError);
  await page.goto(program.address);
  await page.getByRole("heading", { level: 1, name: "Let a program in?" }).waitFor();
  await page.getByText("its own description at").waitFor();
  await checkAppearance(page, "consent");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Connected" }).waitFor();
  const [answer] = program.answers;
  assert.equal(answer?.get("state"), "of the editor");
  await first.transport.finishAuth(answer ?? new URLSearchParams());
  assert.equal(program.tokens?.scope, "read run");

  const { client, transport } = open();
  await client.connect(transport);
  t.after(() => client.close());
  const listed = await client.callTool({ name: "list_agents", arguments: {} });
  assert.match(JSON.stringify(listed.structuredContent), new RegExp(agent.id));
  const asked = await client.callTool({ name: "ask_agent", arguments: { agent_id: agent.id, message: "Is it open?" } });
  assert.equal((asked.structuredContent as { status?: string }).status, "completed");

  await page.goto("/account/programs");
  await page.getByRole("listitem", { name: "Editor" }).getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("No program is connected.").waitFor();
  const response = await fetchWith(new URL("/mcp", instance.url), {
    dispatcher,
    method: "POST",
    headers: { authorization: `Bearer ${program.tokens?.access_token}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  assert.equal(response.status, 401);
  await assert.rejects(client.listTools(), UnauthorizedError);
});
