import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { openRestStage, type TestTools } from "../../../server/test/support/tool-stage.ts";
import { listen } from "../../../server/test/support/listen.ts";
import { modernServer } from "./support/mcp-server.ts";
import { openToolsForTest } from "./support/open-tools.ts";

type Row = Readonly<Record<string, unknown>>;

const SECRET = "sk-very-secret-value";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: unknown) => void closers.unshift(close as () => Promise<void>) };
const opened = openRestStage("", { tools: openToolsForTest(cleanup).checks });
let tools: TestTools;
let ada: Awaited<ReturnType<typeof opened.stage.addUser>>;
let eve: typeof ada;

function createHello(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  const inputSchema = z.object({ name: z.string() });
  server.registerTool("say.hello", { description: "Hello", inputSchema }, async ({ name }) => ({
    content: [{ type: "text", text: `hello ${name}` }],
  }));
  server.registerTool("pay", { inputSchema: z.object({ id: z.string().regex(/^(?=x)/) }) }, async () => ({
    content: [],
  }));
  return server;
}

describe("stored tools of MCP servers", () => {
  before(async () => {
    tools = openToolsForTest(cleanup, { pool: opened.stage.pools.service });
    ada = await opened.stage.addUser();
    eve = await opened.stage.addUser();
  });
  after(async () => {
    for (const close of closers) await close();
  });

  it("are rejected with a reason for each field", async () => {
    const remote = { url: "https://mcp.example.com/", remote_name: "x" };
    const cases: [Row, string][] = [
      [{ config: remote }, "config.remote_name"],
      [{ kind: "mcp", config: { url: remote.url } }, "config.remote_name"],
      [{ kind: "mcp", config: { ...remote, url: "https://mcp.example.com/{x}" } }, "config.url"],
      [{ kind: "mcp", config: { ...remote, url: "http://mcp.example.com/" } }, "config.url"],
      [{ kind: "mcp", config: { ...remote, url: "https://10.0.0.1/" } }, "config.url"],
      [{ kind: "mcp", config: { ...remote, headers: { Authorization: "Bearer x" } } }, "config.headers"],
      [{ kind: "mcp", config: { ...remote, auth: { type: "magic" } } }, "config.auth.type"],
      [{ kind: "mcp", config: { server: "unknown", remote_name: "x" } }, "config.server"],
    ];
    const send = (parts: Row): ReturnType<typeof opened.stage.ask> =>
      opened.stage.ask("POST /tools", {
        as: ada,
        body: { name: "tool", description: "x", ...parts },
        headers: { "content-type": "application/json" },
      });
    for (const [parts, field] of cases) {
      const { status, json, text } = await send(parts);
      assert.equal(status, 400, text);
      const { code, details } = json as { code: string; details: Row };
      assert.deepEqual(Object.keys(details), [field], text);
      assert.equal(code, field === "config.url" ? "INVALID_URL" : "VALIDATION_ERROR");
    }
    const stored = await send({ kind: "mcp", config: { ...remote, auth: { type: "oauth" } } });
    assert.equal(stored.status, 201, stored.text);
  });

  it("are imported and tested for their owner only", async (t) => {
    const seen = new Set<string | undefined>();
    const port = await listen(
      t,
      modernServer(createHello, ({ headers }) => void seen.add(headers["x-key"] as string | undefined)),
    );
    const url = `https://127.0.0.1:${port}/mcp`;
    const server = {
      url,
      auth: { type: "header", header: "x-key", secret: "token" } as const,
      secrets: { token: SECRET },
    };
    const call = {
      callerId: ada.userId,
      ownerId: ada.userId,
      server,
      names: ["say.hello", "pay", "none"],
      visibility: "private",
    } as const;
    const { imported, skipped } = await tools.importRemote(call);
    assert.deepEqual(
      imported.map(({ name, kind, secret_names }) => [name, kind, secret_names]),
      [["say_hello", "mcp", ["token"]]],
    );
    assert.deepEqual(skipped.map(({ name }) => name).toSorted(), ["none", "pay"]);
    const again = await tools.importRemote({ ...call, callerId: null, names: ["say.hello"] });
    assert.deepEqual(
      again.imported.map(({ name }) => name),
      ["say_hello_2"],
    );
    // The service vouches for what the service role imports, and not for what a user does.
    assert.deepEqual(
      [...imported, ...again.imported].map((tool) => tool["is_vouched"]),
      [false, true],
    );
    assert.doesNotMatch(JSON.stringify([imported, again]), /sk-very/);

    const toolId = imported[0]?.id ?? "";
    const { outcome } = await tools.test({ principal: principalOf(ada), toolId, input: { name: "Ada" } });
    assert.ok(outcome.status === "succeeded" && outcome.text === "hello Ada");
    const wrong = await tools.test({ principal: principalOf(ada), toolId, input: {} });
    assert.ok(wrong.outcome.status === "failed" && wrong.outcome.error.code === "INVALID_TOOL_INPUT");
    assert.equal((await tools.listRemote({ callerId: ada.userId, server: { toolId } })).length, 2);
    assert.deepEqual([...seen], [SECRET]);

    await assert.rejects(tools.test({ principal: principalOf(eve), toolId, input: {} }), {
      code: "TOOL_NOT_FOUND",
    });
    await assert.rejects(tools.listRemote({ callerId: eve.userId, server: { toolId } }), { code: "TOOL_NOT_FOUND" });
    await assert.rejects(tools.importRemote({ ...call, visibility: "public" }), { code: "FORBIDDEN" });
    const unreachable = `https://127.0.0.1:${await findFreePort()}/`;
    await assert.rejects(tools.listRemote({ callerId: null, server: { url: unreachable, secrets: {} } }), {
      code: "TOOL_ERROR",
    });
    // The URLs that no webhook and no row of tools may have.
    for (const url of [
      "https://127.0.0.1:9/",
      "https://10.0.0.1/",
      "https://user:pass@hooks.example.com/",
      "https://hooks.example.com/\tx",
      "https://hooks.example.com\\@127.0.0.1/",
    ]) {
      const server = { url, secrets: {} };
      await assert.rejects(tools.listRemote({ callerId: ada.userId, server }), { code: "INVALID_URL" }, url);
      await assert.rejects(tools.importRemote({ ...call, server }), { code: "INVALID_URL" }, url);
    }
    await assert.rejects(tools.listRemote({ callerId: null, server: { url: "http://a.example.com/", secrets: {} } }), {
      code: "VALIDATION_ERROR",
    });
  });
});

function principalOf({ userId }: { readonly userId: string }) {
  return { role: "authenticated", userId, claims: {}, session: null } as const;
}
