import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { inputRequired, McpServer, ProtocolError } from "@modelcontextprotocol/server";
import type { ExtensionDatabase } from "swarmbase/extension";
import { z } from "zod";
import {
  type ToolOutcome,
  openGuardedFetch,
  openRunStage,
  type RunStage,
  assignedTool,
  callContext,
  authority,
  credential,
  loopbackPolicy,
  BASE_URL,
  type TestTools,
} from "../../../server/test/support/tool-stage.ts";
import { createOAuthServer, type OAuthServer } from "../../../server/test/support/oauth-mcp-server.ts";
import { until } from "../../../server/test/support/until.ts";
import { findReturn } from "../src/sql/authorizations.ts";
import { hashOf } from "../src/oauth/callback-route.ts";
import { listen } from "../../../server/test/support/listen.ts";
import { openToolsForTest } from "./support/open-tools.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

function createEcho(): McpServer {
  const server = new McpServer({ name: "echo", version: "1" });
  server.registerTool("echo", { description: "Echoes", inputSchema: z.object({}) }, async (_input, { http }) => ({
    content: [{ type: "text", text: `sent ${http?.req?.headers.get("authorization") ?? "nothing"}` }],
  }));
  server.registerTool("ask", { description: "Asks", inputSchema: z.object({}) }, async (_input, { http }) =>
    inputRequired({
      inputRequests: {
        a: inputRequired.elicit({
          message: `sent ${http?.req?.headers.get("authorization") ?? "nothing"}`,
          requestedSchema: z.object({}),
        }),
      },
    }),
  );
  server.registerTool("fail", { description: "Fails", inputSchema: z.object({}) }, async (_input, { http }) => {
    throw new ProtocolError(-32_602, `sent ${http?.req?.headers.get("authorization") ?? "nothing"}`);
  });
  return server;
}

interface Parts {
  readonly remote: OAuthServer;
  readonly url: string;
  readonly userId: string;
  readonly tools: TestTools;
  /** Moves the clock of the nodes. */
  pass(ms: number): void;
  /** Another node. */
  open(pool?: RunStage["pool"]): TestTools;
  call(tools?: TestTools): Promise<ToolOutcome>;
  /** What the browser of a user who agrees brings back. */
  agree(authorizationUrl: string): Promise<{ readonly state: string; readonly code: string; readonly iss: string }>;
}

async function open(
  t: TestContext,
  options: { readonly expiresInSeconds?: number; readonly scope?: string; readonly hasRevocation?: boolean } = {},
): Promise<Parts> {
  const remote = createOAuthServer(createEcho, { credential, ...options });
  const url = `https://127.0.0.1:${await listen(t, remote.server)}/mcp`;
  const userId = await stage.newUser();
  let passedMs = 0;
  const clock = { now: () => new Date(Date.now() + passedMs) };
  const openNode = (pool = stage.pool): TestTools => openToolsForTest(t, { pool, clock });
  const tools = openNode();
  const browser = openGuardedFetch({
    policy: loopbackPolicy,
    ca: [authority.cert],
    connectionsPerOrigin: 1,
    exemptUrls: [],
  });
  t.after(() => browser.close());
  return {
    remote,
    url,
    userId,
    tools,
    pass: (ms) => void (passedMs += ms),
    open: openNode,
    call: (node = tools) => {
      const config = { url, remote_name: "echo", auth: { type: "oauth" } };
      return node.run(assignedTool({ kind: "mcp", owner_id: userId, config }), {}, callContext());
    },
    async agree(authorizationUrl) {
      // The guarded fetch follows no redirect, and tells where it leads.
      const { location } = await new Promise<{ location: string }>((resolve, reject) => {
        browser.dispatcher
          .request({
            origin: new URL(url).origin,
            path: authorizationUrl.slice(new URL(url).origin.length),
            method: "GET",
          })
          .then(({ headers }) => resolve({ location: String(headers["location"]) }), reject);
      });
      assert.ok(location.startsWith(`${BASE_URL}/oauth/callback?`), location);
      const { state = "", code = "", iss = "" } = Object.fromEntries(new URL(location).searchParams);
      return { state, code, iss };
    },
  };
}

async function authorize({ tools, url, userId, agree }: Parts): Promise<void> {
  const started = await tools.authorizations.start({ ownerId: userId, url });
  await tools.authorizations.finish({ callerId: userId, ...(await agree(started.authorization_url)) });
}

const codeOf = (outcome: ToolOutcome): string =>
  outcome.status === "succeeded" ? outcome.text : `${outcome.status} ${outcome.error.code}`;

test("an owner authorizes the service once for all tools of a server, and nobody sees the tokens", async (t) => {
  const parts = await open(t);
  const { tools, url, userId, remote, agree, call } = parts;
  const server = { url, auth: { type: "oauth" as const }, secrets: {} };
  await assert.rejects(tools.listRemote({ callerId: userId, server }), { code: "TOOL_ERROR", message: /authorize/ });
  assert.equal(codeOf(await call()), "failed TOOL_UNUSABLE");

  const started = await tools.authorizations.start({
    ownerId: userId,
    url,
    redirectTo: "https://app.example.com/tools",
  });
  const database: Pick<ExtensionDatabase, "asService"> = {
    asService: (work) => work(async (text, values = []) => (await stage.pool.query(text, [...values])).rows),
  };
  const returning = { redirect_to: "https://app.example.com/tools" };
  assert.deepEqual(await findReturn(database, hashOf(started.state)), returning);
  assert.equal(await findReturn(database, hashOf("another")), null);
  const answer = await agree(started.authorization_url);
  assert.equal(answer.state, started.state);

  // A link to somebody's sign-in must not give that person the tokens of whoever follows it.
  const eve = await stage.newUser();
  await assert.rejects(tools.authorizations.finish({ callerId: eve, ...answer }), { code: "VALIDATION_ERROR" });
  assert.equal((await tools.authorizations.finish({ callerId: userId, ...answer })).scope, "tools");
  await assert.rejects(tools.authorizations.finish({ callerId: userId, ...answer }), { code: "VALIDATION_ERROR" });

  const listed = await tools.listRemote({ callerId: userId, server });
  assert.deepEqual(
    listed.map(({ name }) => name),
    ["echo", "ask", "fail"],
  );
  assert.equal(codeOf(await call()), "sent Bearer [secret]");
  await assert.rejects(tools.listRemote({ callerId: eve, server }), { code: "TOOL_ERROR" });
  const stored = await stage.rows<{ row: string }>(
    "select a::text || encode(credentials_wrapped, 'escape') as row from private.tool_authorizations a where owner_id = $1",
    [userId],
  );
  assert.ok(stored.length === 1 && !/at-|rt-/.test(stored[0]?.row ?? "at-"));

  // The registration is used again.
  await authorize(parts);
  assert.equal(remote.seen.registered, 1);
  assert.equal(codeOf(await call()), "sent Bearer [secret]");

  const [shown] = await tools.authorizations.list(userId);
  assert.deepEqual([shown?.url, shown?.scope, shown?.authorized], [url, "tools", true]);
  assert.deepEqual(await tools.authorizations.list(eve), []);
  assert.equal(await tools.authorizations.revoke({ ownerId: eve, url }), false);
  assert.equal(await tools.authorizations.revoke({ ownerId: userId, url }), true);
  assert.equal(codeOf(await call()), "failed TOOL_UNUSABLE");
  await authorize(parts);
  await stage.sql.query("delete from auth.users where id = $1", [userId]);
  assert.equal(codeOf(await call()), "failed TOOL_UNUSABLE", "the tokens go with the account");
});

test("tokens that an owner revokes are withdrawn at a server that supports it", async (t) => {
  const parts = await open(t);
  const { tools, url, userId, remote } = parts;
  await authorize(parts);
  assert.equal(await tools.authorizations.revoke({ ownerId: userId, url }), true);
  assert.deepEqual(remote.revoked.toSorted(), ["access_token", "refresh_token"]);
  assert.equal(await tools.authorizations.revoke({ ownerId: userId, url }), false);

  // The tokens are deleted also when their server cannot be reached.
  await authorize(parts);
  remote.server.closeAllConnections();
  await new Promise((resolve) => void remote.server.close(resolve));
  assert.equal(await tools.authorizations.revoke({ ownerId: userId, url }), true);
  assert.deepEqual(await tools.authorizations.list(userId), []);

  // An account that is deleted takes its tokens with it.
  const other = await open(t);
  await authorize(other);
  const withdraw = await other.tools.authorizations.prepareWithdrawal(other.userId);
  assert.deepEqual(other.remote.revoked, []);
  withdraw();
  await until(() => other.remote.revoked.length === 2, "the tokens are withdrawn");

  const without = await open(t, { hasRevocation: false });
  await authorize(without);
  assert.equal(await without.tools.authorizations.revoke({ ownerId: without.userId, url: without.url }), true);
  assert.deepEqual(without.remote.revoked, []);
});

test("concurrent calls on several nodes renew an expired token once", async (t) => {
  const parts = await open(t, { expiresInSeconds: 600 });
  await authorize(parts);
  const nodes = [parts.tools, parts.open()];
  const callAll = async (): Promise<Set<string>> => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, index) => parts.call(nodes[index % 2])));
    return new Set(outcomes.map(codeOf));
  };
  assert.deepEqual(await callAll(), new Set(["sent Bearer [secret]"]));
  assert.equal(parts.remote.seen.refreshed, 0);
  parts.pass(590_000);
  assert.deepEqual(await callAll(), new Set(["sent Bearer [secret]"]));
  assert.deepEqual([parts.remote.seen.refreshed, parts.remote.seen.reused], [1, 0]);

  // A token that the server rejects early.
  parts.remote.revoke("access");
  assert.deepEqual(await callAll(), new Set(["sent Bearer [secret]"]));
  assert.deepEqual([parts.remote.seen.refreshed, parts.remote.seen.reused], [2, 0]);

  // A server that withdraws the authorization.
  parts.remote.revoke("all");
  assert.deepEqual(await callAll(), new Set(["failed TOOL_UNUSABLE"]));
  assert.equal(parts.remote.seen.reused, 1);
  assert.equal((await parts.tools.authorizations.list(parts.userId))[0]?.authorized, false);
  await authorize(parts);
  assert.deepEqual(await callAll(), new Set(["sent Bearer [secret]"]));
});

test("a database that is away for a moment fails no call and loses no renewed token", async (t) => {
  const parts = await open(t, { expiresInSeconds: 600 });
  await authorize(parts);
  let connects = 0;
  // Every second attempt to get a connection fails, as when all of them are in use.
  const flaky = new Proxy(stage.pool, {
    get: (pool, name) => {
      if (name === "connect" && (connects += 1) % 2 === 1)
        return async () => {
          throw new Error("timeout exceeded when trying to connect");
        };
      const value: unknown = Reflect.get(pool, name, pool);
      return typeof value === "function" ? value.bind(pool) : value;
    },
  });
  const node = parts.open(flaky);
  assert.equal(codeOf(await parts.call(node)), "sent Bearer [secret]");
  parts.pass(590_000);
  assert.equal(codeOf(await parts.call(node)), "sent Bearer [secret]");
  assert.deepEqual([parts.remote.seen.refreshed, parts.remote.seen.reused], [1, 0]);
  assert.ok(connects >= 6, `${connects} attempts`);
  assert.equal(codeOf(await parts.call()), "sent Bearer [secret]", "another node uses the renewed token");
});

test("tokens that expire at once are renewed once for a call, and none of them is shown", async (t) => {
  const parts = await open(t, { expiresInSeconds: 1 });
  await authorize(parts);
  assert.equal(codeOf(await parts.call()), "sent Bearer [secret]");
  assert.ok(parts.remote.seen.refreshed <= 10, `${parts.remote.seen.refreshed} renewals`);
});

test("a question and an error of the server that echo the token do not show it", async (t) => {
  const parts = await open(t);
  await authorize(parts);
  const call = (remote_name: string) => {
    const config = { url: parts.url, remote_name, auth: { type: "oauth" } };
    const tool = assignedTool({ kind: "mcp", owner_id: parts.userId, config });
    return parts.tools.runAsking(tool, {}, callContext({ executionId: "019a8000-0000-7000-8000-0000000000ee" }));
  };
  for (const name of ["ask", "fail"]) {
    const outcome = JSON.stringify(await call(name));
    assert.match(outcome, /sent Bearer \[secret\]/);
    assert.doesNotMatch(outcome, /at-/);
  }
});

test("a scope that cannot be stored is cleaned", async (t) => {
  const parts = await open(t, { scope: "to\0ols" });
  await authorize(parts);
  assert.equal((await parts.tools.authorizations.list(parts.userId))[0]?.scope, "tools");
});

test("hostile servers and requests get no tokens", async (t) => {
  const { tools, url, userId, agree } = await open(t);
  const start = (more: object): Promise<unknown> => tools.authorizations.start({ ownerId: userId, url, ...more });
  await assert.rejects(start({ redirectTo: "https://evil.example.com/" }), { code: "VALIDATION_ERROR" });
  await assert.rejects(start({ url: "https://10.0.0.1/mcp" }), { code: "INVALID_URL" });
  const started = await tools.authorizations.start({ ownerId: userId, url });
  const { state, code } = await agree(started.authorization_url);
  const mixedUp = { callerId: userId, state, code, iss: "https://another.example.com" };
  await assert.rejects(tools.authorizations.finish(mixedUp), { code: "TOOL_ERROR" });
  const expired = await tools.authorizations.start({ ownerId: userId, url });
  await stage.sql.query("update private.tool_authorizations set state_expires_at = now() where owner_id = $1", [
    userId,
  ]);
  const late = { callerId: userId, ...(await agree(expired.authorization_url)) };
  await assert.rejects(tools.authorizations.finish(late), { code: "VALIDATION_ERROR" });

  const impostor = createOAuthServer(createEcho, { credential });
  const [serve] = impostor.server.listeners("request") as ((...given: unknown[]) => void)[];
  impostor.server.removeAllListeners("request").on("request", (request, response) => {
    if (!request.url?.includes("protected-resource")) return serve?.(request, response);
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ resource: "https://bank.example.com/mcp", authorization_servers: [new URL(url).origin] }));
  });
  const impostorUrl = `https://127.0.0.1:${await listen(t, impostor.server)}/mcp`;
  await assert.rejects(start({ url: impostorUrl }), { code: "TOOL_ERROR", message: /another resource/ });
});
