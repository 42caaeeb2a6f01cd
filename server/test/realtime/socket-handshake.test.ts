import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { describe, it, type TestContext } from "node:test";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { RawClient } from "./support/raw-client.ts";
import { openStage } from "./support/realtime-stage.ts";

describe("a handshake", () => {
  const open = (t: TestContext, settings = {}) =>
    openStage(t, { changes: createChangesDouble(new ChangesBus()), settings });

  it("a failed handshake gives an HTTP response with a JSON body", async (t) => {
    const { url } = await open(t);
    const cases = [
      ["/realtime/v1/websocket?vsn=2.0.0", 401],
      ["/realtime/v1/websocket?apikey=wrong&vsn=2.0.0", 401],
      ["/realtime/v1/websocket?apikey=anon&vsn=3.0.0", 400],
      ["/realtime/v1/other?apikey=anon", 404],
    ] as const;
    for (const [path, status] of cases) {
      const answer = await upgrade(url + path);
      assert.equal(answer.status, status, path);
      assert.equal(typeof (JSON.parse(answer.body) as { error: string }).error, "string");
    }
  });

  it("a plain request to the socket path gives 400", async (t) => {
    const { url } = await open(t);
    assert.equal(
      (await upgrade(`${url}/realtime/v1/websocket?apikey=anon`, { "sec-websocket-key": "no" })).status,
      400,
    );
  });

  it("a handshake succeeds on both paths with the key in the query or a header", async (t) => {
    const { url } = await open(t);
    for (const path of ["websocket", "socket/websocket"]) {
      const client = await RawClient.open(t, url, { path });
      assert.deepEqual(await client.ask(null, "phoenix", "heartbeat", {}), { status: "ok", response: {} });
    }
    const { status } = await upgrade(`${url}/realtime/v1/websocket`, { "x-api-key": "anon" });
    assert.equal(status, 101);
  });

  it("a handshake over the socket limit of the node gives 429 until a socket closes", async (t) => {
    const { url } = await open(t, { realtimeSocketsPerNode: 1 });
    const first = await RawClient.open(t, url);
    const rejected = await upgrade(`${url}/realtime/v1/websocket?apikey=anon`);
    assert.equal(rejected.status, 429);
    assert.ok(Number(rejected.headers["retry-after"]) > 0);
    first.ws.close();
    await first.closed;
    // The server notices the close a moment after the client.
    for (let status = 429; status !== 101; ) ({ status } = await upgrade(`${url}/realtime/v1/websocket?apikey=anon`));
  });

  it("a handshake over the socket limit of an address gives 429 for that address until a socket closes", async (t) => {
    const { url } = await openStage(t, {
      changes: createChangesDouble(new ChangesBus()),
      settings: { realtimeSocketsPerAddress: 1 },
      addressOf: ({ headers }) => String(headers["x-address"] ?? "a"),
    });
    const path = `${url}/realtime/v1/websocket?apikey=anon`;
    const first = await RawClient.open(t, url);
    const rejected = await upgrade(path);
    assert.equal(rejected.status, 429);
    assert.equal(rejected.headers["x-content-type-options"], "nosniff");
    assert.equal((await upgrade(path, { "x-address": "b" })).status, 101);
    first.ws.close();
    await first.closed;
    for (let status = 429; status !== 101; ) ({ status } = await upgrade(path));
    // A handshake that fails for another reason gives its place back too.
    for (let asked = 0; asked < 3; asked += 1)
      assert.notEqual((await upgrade(`${url}/realtime/v1/x`, { "x-address": `c${asked}` })).status, 429);
  });
});

async function upgrade(url: string, headers: Record<string, string> = {}) {
  const sent = request(url, {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    },
  });
  sent.end();
  const upgraded = once(sent, "upgrade").then(([response, socket]) => {
    socket.destroy();
    return { status: 101, headers: response.headers as Record<string, string>, body: "" };
  });
  const answered = once(sent, "response").then(async ([response]) => {
    let body = "";
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode as number, headers: response.headers as Record<string, string>, body };
  });
  return Promise.race([upgraded, answered]);
}
