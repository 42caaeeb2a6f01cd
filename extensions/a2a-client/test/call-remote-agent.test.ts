import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ToolCall } from "swarmbase/extension";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import { callRemoteAgent } from "../src/call-remote-agent.ts";

const ORIGIN = "https://remote.example.com";
const SECRET = "very-secret-token";

type Answer = (body: { method: string; params: Record<string, unknown> }, headers: Headers) => Response;

function card(url = `${ORIGIN}/rpc`, streaming = true): object {
  const supportedInterfaces = [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
  return {
    name: "Remote",
    description: "d",
    version: "1",
    supportedInterfaces,
    capabilities: { streaming },
    skills: [],
  };
}

/** A call of a tool whose remote agent answers as told. Network and policy are those of the service, in the other test. */
function call(document: object, answer: Answer, changes: Partial<ToolCall> = {}): Promise<string> {
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    assert.equal(headers.get("authorization"), `Bearer ${SECRET}`);
    if (String(input).endsWith("/card.json")) return Response.json(document);
    return answer(JSON.parse(init.body as string), headers);
  };
  const tool: ToolCall = {
    name: "ask",
    ownerId: null,
    swarmId: null,
    config: { card_url: `${ORIGIN}/card.json`, auth: { type: "bearer", secret: "token" } },
    input: { message: "Hello" },
    secrets: { token: SECRET },
    maxChars: 20,
    maxRetries: 0,
    timeoutMs: WAIT_MS,
    signal: new AbortController().signal,
    traceparent: undefined,
    starter: { userId: null, open: () => Promise.reject(new Error("acts for nobody")) },
    ...changes,
  };
  return callRemoteAgent(tool, fetch);
}

const stream = (...results: object[]): Response =>
  new Response(results.map((result) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
const chunk = (artifactId: string, text: string, append: boolean): object => ({
  artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId, parts: [{ text }] }, append },
});
const state = (name: string, message?: object): object => ({
  statusUpdate: { taskId: "t", contextId: "c", status: { state: `TASK_STATE_${name}`, ...(message && { message }) } },
});

describe("a call of a remote agent", () => {
  test("puts artifacts together, and keeps no more than the tool may return", async () => {
    const told = [
      chunk("a", "one ", false),
      chunk("a", "two", true),
      chunk("b", "draft", false),
      chunk("b", "three", false),
    ];
    assert.equal(await call(card(), () => stream(...told, state("COMPLETED"))), "one two\n\nthree");
    const long = Array.from({ length: 50 }, () => chunk("a", "0123456789", true));
    assert.equal((await call(card(), () => stream(...long, state("COMPLETED")))).length, 21);
    const message = { message: { messageId: "m", parts: [{ data: { open: true } }] } };
    assert.equal(await call(card(), () => stream(message)), '{"open":true}');
  });

  test("asks for the task again when the answer ends before it", async () => {
    const methods: string[] = [];
    const text = await call(card(undefined, false), ({ method, params }) => {
      methods.push(method);
      const working = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
      if (method === "SendMessage") return Response.json({ jsonrpc: "2.0", id: 1, result: { task: working } });
      assert.equal(params["id"], "t");
      const artifacts = [{ artifactId: "a", parts: [{ text: "done" }] }];
      const result = { ...working, status: { state: "TASK_STATE_COMPLETED" }, artifacts };
      return Response.json({ jsonrpc: "2.0", id: 2, result });
    });
    assert.deepEqual([text, methods], ["done", ["SendMessage", "GetTask"]]);
  });

  test("sends credentials to no other host, and shows none in its errors", async () => {
    const never: Answer = () => assert.fail("called");
    for (const url of ["https://evil.example.com/rpc", "http://remote.example.com/rpc"])
      await assert.rejects(call(card(url), never), { name: "AppError", message: /names an address on another host/ });
    const echo: Answer = (_body, headers) => {
      const error = { code: -32_602, message: `bad ${headers.get("authorization")}` };
      return Response.json({ jsonrpc: "2.0", id: 1, error });
    };
    await assert.rejects(call(card(), echo), { name: "AppError", message: /cannot be called: bad Bearer \[secret\]$/ });
  });

  test("fails with a message for the model when the server is broken", async () => {
    const broken: readonly [object, Answer][] = [
      [{}, () => assert.fail("called")],
      [card(), () => new Response("no JSON", { status: 200 })],
      [card(), () => new Response(null, { status: 500 })],
      [card(), () => stream(state("FAILED", { messageId: "m", parts: [{ text: "no fuel" }] }))],
      [card(), () => new Response("x".repeat(9 * 1024 * 1024), { headers: { "content-type": "text/event-stream" } })],
    ];
    for (const [document, answer] of broken)
      await assert.rejects(call(document, answer), { name: "AppError", message: /^The (?:remote agent|response)/ });
  });
});
