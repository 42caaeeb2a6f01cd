import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { type DeadlineTimes, startDeadlines } from "../../../src/agents/providers/deadlines.ts";

const LONG_MS = 60_000;
const SHORT_MS = 50;

/** Blocks the event loop. Bytes that are sent meanwhile arrive. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const cases: readonly { name: string; times: DeadlineTimes; hasBegun: boolean }[] = [
  {
    name: "the first byte",
    times: { firstByteMs: SHORT_MS, idleMs: SHORT_MS, totalMs: LONG_MS },
    hasBegun: false,
  },
  {
    name: "the next byte",
    times: { firstByteMs: LONG_MS, idleMs: SHORT_MS, totalMs: LONG_MS },
    hasBegun: true,
  },
];

for (const { name, times, hasBegun } of cases) {
  test(`${name} that arrived while the process was blocked is in time; silence after it times out`, async (t) => {
    const server = net.createServer().listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const socket = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
    t.after(() => socket.destroy());
    const [peer] = (await once(server, "connection")) as [net.Socket];
    t.after(() => peer.destroy());
    const deadlines = startDeadlines(new AbortController().signal, times);
    t.after(() => deadlines.close());
    if (hasBegun) deadlines.touch();
    socket.on("data", () => deadlines.touch());

    peer.write("x");
    blockEventLoop(4 * SHORT_MS);
    await once(socket, "data");
    assert.equal(deadlines.signal.aborted, false);

    await once(deadlines.signal, "abort");
    assert.match(String(deadlines.signal.reason), /fell silent/);
  });
}
