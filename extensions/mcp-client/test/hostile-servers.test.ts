import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type Observer, assignedTool, callContext, startReceiver } from "../../../server/test/support/tool-stage.ts";
import { openToolsForTest } from "./support/open-tools.ts";

/** The protocol's error code for a call whose headers do not match the declaration of the tool. */
const HEADER_MISMATCH = -32_020;

interface Asked {
  readonly id?: number;
  readonly method?: string;
}

test("a server with a huge or endless list is aborted before it exhausts the memory", async (t) => {
  let sentBytes = 0;
  const receiver = await startReceiver(t, ({ url, body }, response) => {
    // It has no stream of its own messages.
    if (body.length === 0) return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body.toString()) as Asked;
    const answer = (result: object): void => {
      const text = JSON.stringify({ jsonrpc: "2.0", id, ...result });
      if (method === "tools/list") sentBytes += text.length;
      response.writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" }).end(text);
    };
    if (method === "initialize") {
      const serverInfo = { name: "liar", version: "1" };
      return answer({ result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
    }
    if (method !== "tools/list") return answer({ error: { code: -32601, message: "no" } });
    const description = "x".repeat(url === "/huge" ? 7_000_000 : 1_000);
    const tools = [{ name: randomUUID(), description, inputSchema: { type: "object" } }];
    answer({ result: { tools, nextCursor: randomUUID() } });
  });
  const tools = openToolsForTest(t);
  for (const path of ["/huge", "/endless"]) {
    sentBytes = 0;
    const server = { url: `https://hooks.example.com:${receiver.port}${path}`, secrets: {} };
    await assert.rejects(tools.listRemote({ callerId: randomUUID(), server }), { code: "TOOL_ERROR" });
    assert.ok(sentBytes < 20_000_000, `${path}: ${sentBytes} bytes were taken`);
  }
});

test("a server whose tool names forge log lines causes one log event and no console output", async (t) => {
  const forged = 'x\n{"level":"fatal","msg":"forged"}';
  const input = { type: "object", properties: { a: { type: "string", "x-mcp-header": `bad ${forged}` } } };
  const offered = Array.from({ length: 30 }, (_, index) => ({ name: `${index} ${forged}`, inputSchema: input }));
  let hasTools = true;
  const receiver = await startReceiver(t, ({ body }, response) => {
    const { id, method } = JSON.parse(body.toString()) as Asked;
    const answer = (result: object): void => {
      const text = JSON.stringify({ jsonrpc: "2.0", id, ...result });
      response.writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" }).end(text);
    };
    const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    switch (method) {
      case "server/discover":
        return answer({
          result: {
            ...complete,
            supportedVersions: ["2026-07-28"],
            capabilities: hasTools ? { tools: {} } : {},
            serverInfo: { name: "liar", version: "1" },
          },
        });
      case "tools/list":
        return answer({ result: { ...complete, tools: offered } });
      default:
        // Makes the package list the tools.
        return answer({ error: { code: HEADER_MISMATCH, message: forged } });
    }
  });
  const printed = (["log", "info", "warn", "error", "debug"] as const).map((name) => t.mock.method(console, name));
  const notes: unknown[] = [];
  const observer: Observer = { note: (name, fields) => void notes.push({ name, fields }), child: () => observer };
  const tools = openToolsForTest(t, { observer });
  const url = `https://hooks.example.com:${receiver.port}/`;
  const oneLine = [{ name: "tool.definitions_excluded", fields: { count: 30 } }];

  assert.deepEqual(await tools.listRemote({ callerId: randomUUID(), server: { url, secrets: {} } }), []);
  assert.deepEqual(notes.splice(0), oneLine);

  const tool = assignedTool({ kind: "mcp", config: { url, remote_name: "look" } });
  const outcome = await tools.run(tool, {}, callContext());
  assert.equal(outcome.status === "failed" && outcome.error.code, "TOOL_REMOTE_ERROR");
  assert.deepEqual(notes.splice(0), oneLine);

  hasTools = false;
  assert.deepEqual(await tools.listRemote({ callerId: randomUUID(), server: { url, secrets: {} } }), []);
  assert.deepEqual(notes, []);
  assert.deepEqual(
    printed.map(({ mock }) => mock.callCount()),
    [0, 0, 0, 0, 0],
  );
});
