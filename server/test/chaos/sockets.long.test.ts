import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { WebSocket } from "ws";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { openFaultStage } from "./fault-stage.ts";

const SOCKETS = 10_000;
const MAX_REPEATED = SOCKETS / 100;
/** How many are opened at the same time. */
const OPENING = 50;
/** "Going away" of RFC 6455. */
const GOING_AWAY = 1001;
const MAX_BYTES_PER_SOCKET = 100_000;
const LIMITS = {
  CONNECTIONS_PER_ADDRESS: "0",
  REALTIME_SOCKETS_PER_ADDRESS: "0",
  REALTIME_CHANNELS_PER_USER: "0",
};

test("10,000 sockets of one process delay no request, get a broadcast, and are closed by SIGTERM", {
  skip: process.platform === "linux" ? false : "reads the memory of the service from /proc",
  ...SEVERAL_STARTS,
}, async (t) => {
  const { service, writer, observe } = await openFaultStage(t, { env: { ...LIMITS, STOP_TIMEOUT_MS: "60000" } });
  const { url, anon_key: key, ca_cert_file: caFile } = service.credentials;
  const ca = await readFile(caFile ?? "", "utf8");
  const address = `${url.replace("https", "wss")}/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`;
  const sockets: WebSocket[] = [];
  t.after(() => sockets.forEach((socket) => socket.terminate()));
  const closeCodes: number[] = [];
  let broadcasts = 0;
  let repeated = 0;
  /** On a busy machine, single connections were reset before they opened. Clients connect again. */
  const connect = async (): Promise<WebSocket> => {
    for (;;) {
      const socket = new WebSocket(address, { ca, perMessageDeflate: false });
      socket.on("error", () => {});
      if (
        await new Promise<boolean>((resolve) =>
          socket.once("open", () => resolve(true)).once("close", () => resolve(false)),
        )
      )
        return socket;
      repeated += 1;
      assert.ok(repeated <= MAX_REPEATED, "connections are reset again and again");
    }
  };
  let begun = 0;
  const open = async (): Promise<void> => {
    const socket = await connect();
    sockets.push(socket);
    socket.on("close", (code) => closeCodes.push(code));
    socket.send(JSON.stringify(["1", "1", "realtime:everybody", "phx_join", { config: {} }]));
    const [reply] = (await once(socket, "message")) as [Buffer];
    assert.match(reply.toString(), /"status":"ok"/);
    socket.on("message", (frame: Buffer) => {
      if (frame.includes("hello everybody")) broadcasts += 1;
    });
  };
  const heartbeat = setInterval(() => {
    for (const socket of sockets)
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify([null, "h", "phoenix", "heartbeat", {}]));
  }, 20_000);
  t.after(() => clearInterval(heartbeat));

  const before = await readResidentBytes(service.pid);
  const startedMs = performance.now();
  const openNext = async (): Promise<void> => {
    while (begun < SOCKETS) {
      begun += 1;
      await open();
    }
  };
  await Promise.all(Array.from({ length: OPENING }, openNext));
  const bytesEach = ((await readResidentBytes(service.pid)) - before) / sockets.length;
  t.diagnostic(
    `${sockets.length} sockets in ${seconds(startedMs)} s, ${repeated} connections repeated, ${Math.round(bytesEach / 1_024)} KiB each`,
  );
  assert.deepEqual(closeCodes, []);
  assert.ok(bytesEach <= MAX_BYTES_PER_SOCKET, `${bytesEach} bytes`);

  const { writes, reads } = await observe("10,000 sockets get a broadcast", async () => {
    const sentMs = performance.now();
    const message = { topic: "everybody", event: "news", payload: { text: "hello everybody" } };
    const sent = await writer.ask("/realtime/v1/api/broadcast", { body: { messages: [message] } });
    assert.equal(sent.status, 202, sent.text);
    await until(() => broadcasts >= sockets.length, "everybody has the broadcast");
    t.diagnostic(`a broadcast reached all of them in ${seconds(sentMs)} s`);
  });
  assert.deepEqual([writes.failed, reads.failed], [0, 0]);

  const stoppedMs = performance.now();
  assert.equal(await service.stop(), 0);
  await until(() => closeCodes.length >= sockets.length, "all sockets are closed");
  t.diagnostic(`SIGTERM closed all of them in ${seconds(stoppedMs)} s`);
  assert.deepEqual(new Set(closeCodes), new Set([GOING_AWAY]));
  assert.equal(broadcasts, sockets.length);
});

async function readResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1_000).toFixed(1);
}
