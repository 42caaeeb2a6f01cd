import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { type TestContext, test } from "node:test";
import { RpcPeer } from "../../src/processes/index.ts";

type Echo = { echo(value: unknown): unknown; fail(message: string): never };

/** Two peers over one connection. Both sides answer with what they get. */
async function openPeers(t: TestContext): Promise<RpcPeer<Echo>> {
  const methods = {
    echo: (value: unknown) => value,
    fail: (message: string) => {
      throw new Error(message);
    },
  };
  const server = net.createServer();
  const accepted = once(server.listen(0, "127.0.0.1"), "listening").then(() => once(server, "connection"));
  await once(server, "listening");
  const near = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
  const [far] = (await accepted) as [net.Socket];
  const peers = [new RpcPeer<Echo>(near, methods), new RpcPeer<Echo>(far, methods)] as const;
  t.after(async () => {
    for (const peer of peers) peer.close();
    server.close();
    await Promise.all(peers.map(({ closed }) => closed));
  });
  return peers[0];
}

test("values arrive as they were sent, whatever their format", async (t) => {
  const peer = await openPeers(t);
  const values = [
    null,
    "text with ü and \u{1f41d}",
    "\ud800 alone",
    -1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    undefined,
    { window: "api", key: "user:1", calls: 1, isExceeded: false, nothing: null },
    { absent: undefined },
    { nested: { list: [1, "two", Buffer.from([0, 255])] } },
    [1, [2]],
    new Map([["a", new Set([1])]]),
    Buffer.alloc(200_000, 7),
    new Date(0),
  ];
  const answers = await Promise.all(values.map((value) => peer.call("echo", value)));
  for (const [at, value] of values.entries()) {
    // A buffer arrives as one, or as the array of bytes that it is.
    const answer = answers[at];
    if (Buffer.isBuffer(value)) assert.ok(value.equals(answer as Uint8Array));
    else assert.deepEqual(answer, value);
  }
});

test("an error of the other side rejects the call, and its end rejects all calls", async (t) => {
  const peer = await openPeers(t);
  await assert.rejects(peer.call("fail", "no such place"), /no such place/);
  peer.close();
  await assert.rejects(peer.call("echo", 1), /the other process has ended/);
});
