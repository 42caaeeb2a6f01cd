import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { createOAuthServer } from "../../../server/test/support/oauth-mcp-server.ts";
import {
  assignedTool,
  BASE_URL,
  callContext,
  credential,
  openRunStage,
  type RunStage,
  type TestTools,
} from "../../../server/test/support/tool-stage.ts";
import { until } from "../../../server/test/support/until.ts";
import { CLIENT_DOCUMENT_ROUTE } from "../src/oauth/client-document-route.ts";
import { type AccountAgent, type Asked, newAccountAgent, openAccountNode } from "./support/account-stage.ts";
import { listen } from "../../../server/test/support/listen.ts";
import { OPERATOR_CLIENT, type OidcServer, signIn, startOidcServer } from "../../../server/test/support/oidc-server.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const AUTH = { type: "oauth", account: "asker" };
const mcpConfig = (origin: string): object => ({ url: `${origin}/mcp`, remote_name: "whoami", auth: AUTH });
const httpConfig = (origin: string): object => ({ url: `${origin}/api`, auth: AUTH });

interface Parts {
  readonly remote: OidcServer;
  readonly tools: TestTools;
  readonly agent: AccountAgent;
  readonly personId: string;
}

type NodeOptions = NonNullable<Parameters<typeof openAccountNode>[2]>;

const { handler } = CLIENT_DOCUMENT_ROUTE as unknown as {
  handler(request: object, context: object): { body: unknown };
};
const readDocument = (): unknown => handler({}, { baseUrl: () => BASE_URL }).body;

async function open(
  t: TestContext,
  kind: "mcp" | "http",
  { readsDocuments = false, ...options }: NodeOptions & { readonly readsDocuments?: boolean } = {},
): Promise<Parts> {
  const remote = await startOidcServer(t, readsDocuments ? { readDocument } : {});
  const config = kind === "mcp" ? mcpConfig(remote.origin) : httpConfig(remote.origin);
  const agent = await newAccountAgent(stage, () => openAccountNode(t, stage, options).node, { kind, config });
  const { tools } = openAccountNode(t, stage, options);
  return { remote, tools, agent, personId: await stage.newUser() };
}

const finish = async ({ tools }: Pick<Parts, "tools">, { personId }: Asked, url: string, name: string) =>
  tools.authorizations.finish({ callerId: personId, ...(await signIn(url, name)) });

describe("the first call without an account", () => {
  test("asks the starter alone, and the sign-in continues it on another node", async (t) => {
    const parts = await open(t, "mcp", { readsDocuments: true });
    const { agent, tools, personId, remote } = parts;
    const first = openAccountNode(t, stage);
    const asked = await agent.ask(personId, { node: first.node });
    const { question, tool_execution_id: executionId } = await asked.waiting();
    assert.match(question.message, /^Connect your account at 127\.0\.0\.1:\d+\.$/);
    assert.equal(new URL(question.url).origin, remote.origin);
    // Nothing of the first node is left but the database.
    await first.node.stop();
    await first.tools.close();

    for (const viewerId of [agent.ownerId, await stage.newUser()])
      assert.equal((await asked.pending(viewerId))[0]?.question, undefined);
    const shown = await stage.rows<{ data: string }>("select data::text from public.run_events where run_id = $1", [
      asked.runId,
    ]);
    assert.ok(shown.length > 0 && shown.every(({ data }) => !data.includes("code_challenge")));
    await assert.rejects(asked.decide({ approved: true }), /VALIDATION_ERROR/);
    await assert.rejects(asked.decide({ approved: true, content: {} }), /VALIDATION_ERROR/);

    // The link does not work for somebody else, nor for the service role, nor twice.
    const eve = await stage.newUser();
    const answer = await signIn(question.url, "alice");
    for (const callerId of [eve, agent.ownerId, null])
      await assert.rejects(tools.authorizations.finish({ callerId, ...answer }), { code: "VALIDATION_ERROR" });
    await assert.rejects(tools.authorizations.connect({ personId: eve, executionId }), { code: "VALIDATION_ERROR" });
    assert.equal((await stage.run(asked.runId)).status, "requires_action");
    await tools.authorizations.finish({ callerId: personId, ...answer });
    await assert.rejects(tools.authorizations.finish({ callerId: personId, ...answer }), { code: "VALIDATION_ERROR" });
    assert.equal(await asked.end(), "mcp for alice Bearer [secret]");
    assert.deepEqual(remote.clientIds, [`${BASE_URL}/oauth/client-metadata.json`]);
    assert.deepEqual([remote.seen.registered, remote.seen.documents > 0], [0, true]);

    assert.equal(await (await agent.ask(personId)).end(), "mcp for alice Bearer [secret]", "a later run");
  });

  test("of several at the same time is continued by one sign-in", async (t) => {
    const parts = await open(t, "http");
    const asked = await parts.agent.ask(parts.personId, { message: "twice" });
    const { question } = await asked.waiting();
    const urls = (await asked.pending()).map((call) => call.question?.url);
    assert.deepEqual(urls, [question.url, question.url]);
    await finish(parts, asked, question.url, "alice");
    const text = '{"text":"api for alice Bearer [secret]"}';
    assert.equal(await asked.end(), `${text}\n${text}`);
  });

  test("can be continued after days, by a new sign-in", async (t) => {
    const parts = await open(t, "http");
    const { tools, personId } = parts;
    const asked = await parts.agent.ask(personId);
    const { question, tool_execution_id: executionId } = await asked.waiting();
    await stage.rows("delete from private.tool_authorizations where owner_id = $1", [personId]);
    await assert.rejects(finish(parts, asked, question.url, "alice"), { code: "VALIDATION_ERROR" });
    const redirectTo = "https://app.example.com/connected";
    const { authorization_url: url } = await tools.authorizations.connect({ personId, executionId, redirectTo });
    // Another run that asks meanwhile does not end the sign-in.
    const other = await parts.agent.ask(personId);
    assert.equal((await other.waiting()).question.url, url);
    await finish(parts, asked, url, "alice");
    assert.match(await other.end(), /api for alice/);
    assert.match(await asked.end(), /api for alice/);
    await assert.rejects(tools.authorizations.connect({ personId, executionId }), { code: "VALIDATION_ERROR" });
  });

  test("ends with an error that the model reads, if the starter declines", async (t) => {
    const parts = await open(t, "http");
    const asked = await parts.agent.ask(parts.personId);
    const { question } = await asked.waiting();
    await asked.decide({ approved: false });
    assert.match(await asked.end(), /TOOL_UNUSABLE.*declined to connect an account/);
    assert.deepEqual(parts.remote.sent, []);

    // After the end of the run, the sign-in still connects the account, for later runs.
    await finish(parts, asked, question.url, "alice");
    assert.match(await (await parts.agent.ask(parts.personId)).end(), /api for alice/);
  });

  test("in a swarm with several people asks the starter alone, after the approval of the starter", async (t) => {
    const parts = await open(t, "http");
    const memberId = await stage.newUser();
    const asked = await parts.agent.ask(parts.personId, { memberIds: [memberId] });
    await until(async () => (await asked.pending()).length === 1, "the call waits for its approval");
    await asked.decide({ approved: true });
    const { node } = openAccountNode(t, stage);
    node.start();
    await until(async () => (await asked.pending())[0]?.question !== undefined, "the run asks for an account");
    const { question } = await asked.waiting();
    assert.deepEqual(Object.keys((await asked.pending(memberId))[0] ?? {}), [
      "tool_execution_id",
      "tool_name",
      "agent_id",
      "expires_at",
    ]);
    await finish(parts, asked, question.url, "alice");
    node.executor.wake();
    assert.match(await asked.end(), /for alice /);
  });

  const changes: Record<string, (parts: Parts, runId: string) => readonly [string, readonly unknown[]]> = {
    "the grant is withdrawn": ({ agent }) => ["delete from public.agent_grants where agent_id = $1", [agent.agentId]],
    "the app vouches for the agent no longer": ({ agent }) => [
      "update public.agents set acts_for_askers = false where id = $1",
      [agent.agentId],
    ],
    "the person is banned": ({ personId }) => [
      "update auth.users set banned_until = now() + interval '1 day' where id = $1",
      [personId],
    ],
  };
  for (const [title, toChange] of Object.entries(changes))
    test(`is not made after the sign-in if ${title} meanwhile`, async (t) => {
      const parts = await open(t, "http");
      const asked = await parts.agent.ask(parts.personId);
      const { question } = await asked.waiting();
      await stage.rows(...toChange(parts, asked.runId));
      await finish(parts, asked, question.url, "alice");
      assert.doesNotMatch(await asked.end(), /for alice/);
      assert.deepEqual(parts.remote.sent, []);
    });

  test("is not made once the run has ended, and its link is renewed for nobody", async (t) => {
    const parts = await open(t, "http");
    const { agent, personId, tools, remote } = parts;
    const asked = await agent.ask(personId);
    const { question, tool_execution_id: executionId } = await asked.waiting();
    await stage.rows("select private.request_cancel($1, 'cancelled')", [asked.runId]);
    await assert.rejects(tools.authorizations.connect({ personId, executionId }), { code: "VALIDATION_ERROR" });
    await finish(parts, asked, question.url, "alice");
    const [call] = await stage.rows("select status from public.tool_executions where run_id = $1", [asked.runId]);
    assert.deepEqual([(await stage.run(asked.runId)).status, call], ["cancelled", { status: "cancelled" }]);
    assert.deepEqual(remote.sent, []);
    assert.match(await (await agent.ask(personId)).end(), /for alice /, "the account is connected");
  });

  for (const kind of ["mcp", "http"] as const)
    test(`is made for an API key only with the scopes read and write (${kind})`, async (t) => {
      const parts = await open(t, kind);
      const asked = await parts.agent.ask(parts.personId, { scopes: ["run", "read", "write"] });
      await finish(parts, asked, (await asked.waiting()).question.url, "alice");
      assert.match(await asked.end(), /for alice /);
      const { length } = parts.remote.sent;
      for (const scopes of [["run"], ["run", "read"], ["run", "write"]])
        assert.match(await (await parts.agent.ask(parts.personId, { scopes })).end(), /API key lacks the scope/);
      assert.equal(parts.remote.sent.length, length);
    });

  test("fails where no run can wait", async (t) => {
    const { tools, remote, personId } = await open(t, "http");
    const tool = assignedTool({ config: { ...httpConfig(remote.origin) } });
    const starter = { userId: personId, open: () => Promise.reject(new Error("must not be reached")) };
    const nobody = await tools.run(tool, {}, callContext({ starter: null }));
    assert.ok(nobody.status === "failed" && /nobody has asked/.test(nobody.error.message), JSON.stringify(nobody));
    const untested = await tools.run(
      tool,
      {},
      callContext({ starter: { ...starter, open: async () => ({ principal: {} }) as never } }),
    );
    assert.ok(untested.status === "failed" && /has to connect/.test(untested.error.message), JSON.stringify(untested));
  });
});

describe("accounts", () => {
  for (const kind of ["mcp", "http"] as const)
    test(`of two people never mix (${kind})`, async (t) => {
      const parts = await open(t, kind);
      const people = { alice: parts.personId, bob: await stage.newUser() };
      const { node } = openAccountNode(t, stage);
      for (const [name, personId] of Object.entries(people)) {
        const asked = await parts.agent.ask(personId, { node });
        const { question } = await asked.waiting();
        await finish(parts, asked, question.url, name);
        assert.match(await asked.end(), new RegExp(`for ${name} Bearer \\[secret\\]`));
      }
      const names = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? "alice" : "bob"));
      const runs: Asked[] = [];
      for (const name of names) runs.push(await parts.agent.ask(people[name], { node }));
      for (const [index, name] of names.entries())
        assert.match((await runs[index]?.end()) ?? "", new RegExp(`for ${name} `));

      const { authorizations } = parts.tools;
      const [own, ...others] = await authorizations.list(people.alice);
      assert.deepEqual([own?.account, own?.authorized, others], ["asker", true, []]);
      const key = { account: "asker", url: own?.url ?? "" } as const;
      assert.ok(key.url.startsWith(`${parts.remote.origin}/`));
      assert.equal(await authorizations.revoke({ ownerId: parts.agent.ownerId, ...key }), false);
      assert.equal(await authorizations.revoke({ ownerId: people.alice, url: key.url }), false, "not as an owner");
      assert.equal(await authorizations.revoke({ ownerId: people.alice, ...key }), true);
      await (await parts.agent.ask(people.alice)).waiting();
      assert.match(await (await parts.agent.ask(people.bob)).end(), /for bob /);
    });

  for (const kind of ["mcp", "http"] as const)
    test(`are not used at another origin (${kind})`, async (t) => {
      const parts = await open(t, kind);
      const asked = await parts.agent.ask(parts.personId);
      await finish(parts, asked, (await asked.waiting()).question.url, "alice");
      assert.match(await asked.end(), /for alice /);
      const other = await startOidcServer(t);
      await parts.agent.setConfig(kind === "mcp" ? mcpConfig(other.origin) : httpConfig(other.origin));
      const moved = await parts.agent.ask(parts.personId);
      const { question } = await moved.waiting();
      assert.equal(new URL(question.url).origin, other.origin);
      assert.deepEqual(other.sent, []);
    });

  test("for one resource of an origin do not stand in the way of those for another", async (t) => {
    const parts = await open(t, "http");
    const asked = await parts.agent.ask(parts.personId);
    await finish(parts, asked, (await asked.waiting()).question.url, "alice");
    assert.match(await asked.end(), /api for alice /);
    const agent = await newAccountAgent(stage, () => openAccountNode(t, stage).node, {
      kind: "mcp",
      config: mcpConfig(parts.remote.origin),
    });
    const other = await agent.ask(parts.personId);
    await finish(parts, other, (await other.waiting()).question.url, "alice");
    assert.match(await other.end(), /mcp for alice /);
    assert.match(await (await parts.agent.ask(parts.personId)).end(), /api for alice /);
    const urls = (await parts.tools.authorizations.list(parts.personId)).map(({ url }) => url);
    assert.deepEqual(urls, [`${parts.remote.origin}/`, `${parts.remote.origin}/mcp/`]);
  });

  test("whose tokens are not renewed any more are asked for again", async (t) => {
    const parts = await open(t, "http");
    const asked = await parts.agent.ask(parts.personId);
    await finish(parts, asked, (await asked.waiting()).question.url, "alice");
    await asked.end();
    await parts.remote.revoke("access");
    assert.match(await (await parts.agent.ask(parts.personId)).end(), /for alice /, "a token is renewed");
    await parts.remote.revoke("all");
    const again = await parts.agent.ask(parts.personId);
    const { question } = await again.waiting();
    assert.equal((await parts.tools.authorizations.list(parts.personId))[0]?.authorized, false);
    await finish(parts, again, question.url, "alice");
    assert.match(await again.end(), /for alice /);
  });

  test("at an MCP server with its own authorization server are asked for again within a session", async (t) => {
    const remote = createOAuthServer(
      () => {
        const server = new McpServer({ name: "echo", version: "1" });
        const inputSchema = z.object({});
        server.registerTool("whoami", { inputSchema }, async () => ({ content: [{ type: "text", text: "done" }] }));
        return server;
      },
      { credential },
    );
    const origin = `https://127.0.0.1:${await listen(t, remote.server)}`;
    const { node, tools } = openAccountNode(t, stage);
    const agent = await newAccountAgent(stage, () => openAccountNode(t, stage).node, {
      kind: "mcp",
      config: mcpConfig(origin),
    });
    const personId = await stage.newUser();
    for (const round of [1, 2, 3]) {
      const asked = await agent.ask(personId, { node });
      if (round !== 2) await finish({ tools }, asked, (await asked.waiting()).question.url, "");
      assert.equal(await asked.end(), "done");
      if (round === 2) remote.revoke("all");
    }
  });

  test("are connected with the client of the operator at the origins that it names", async (t) => {
    const remote = await startOidcServer(t);
    const client = { issuer: remote.origin, information: OPERATOR_CLIENT, metadata: null, scope: "tools" };
    const clients = {
      find: (origin: string) => (origin === remote.origin ? client : null),
      get: (id: string) => (id === OPERATOR_CLIENT.client_id ? client : null),
    };
    const openNode = (given: NodeOptions = { clients }) => openAccountNode(t, stage, given);
    const config = httpConfig(remote.origin);
    const agent = await newAccountAgent(stage, () => openNode().node, { kind: "http", config });
    const personId = await stage.newUser();
    const { tools } = openNode();
    const asked = await agent.ask(personId);
    await finish({ tools }, asked, (await asked.waiting()).question.url, "alice");
    assert.match(await asked.end(), /for alice /);
    assert.deepEqual(remote.clientIds, [OPERATOR_CLIENT.client_id]);
    await remote.revoke("access");
    assert.match(await (await agent.ask(personId)).end(), /for alice /, "the secret is used for renewals");
    assert.equal(remote.seen.registered, 0);

    // Without the client, its connection is not used.
    const without = openNode({});
    await (await agent.ask(personId, { node: without.node })).waiting();
    const [own] = await tools.authorizations.list(personId);
    assert.equal(await tools.authorizations.revoke({ ownerId: personId, account: "asker", url: own?.url ?? "" }), true);
  });
});
