import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { startReceiver } from "../../outbound/support/receiver.ts";
import { openToolsForTest } from "../tools/open-tools-for-test.ts";

interface Asked {
  readonly id?: number;
  readonly method?: string;
}

test("a server whose list is huge or has no end is given up before it has filled the memory", async (t) => {
  let sentBytes = 0;
  const receiver = await startReceiver(t, ({ url, body }, response) => {
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
