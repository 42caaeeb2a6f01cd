import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type WebSocket, WebSocketServer } from "ws";
import { loadSettings } from "../../server/src/config/index.ts";
import { derivePassword } from "../../server/src/crypto/index.ts";
import { openDatabase, withRole } from "../../server/src/db/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";
import {
  createFollowedTopics,
  createPrivateTopics,
  openChanges,
  openReplication,
  openRealtime,
} from "../../server/src/realtime/index.ts";
import { systemClock } from "../../server/src/time/index.ts";
import { answerParent } from "../rest/child.ts";
import type { NodeAnswer, NodeQuestion } from "./questions.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const rawSockets = new Set<WebSocket>();
const ports = { port: 0, rawPort: 0 };

answerParent<NodeQuestion, NodeAnswer>(async (question) => {
  switch (question.kind) {
    case "start":
      ports.port = await startNode(question.adminUrl, question.masterKey);
      ports.rawPort = await startRaw();
      break;
    case "broadcast": {
      const [bytes, end] = [Buffer.from(question.text), Buffer.from(question.end)];
      for (let sent = 0; sent < question.count; sent += 1) {
        const payload = sent === question.count - 1 ? end : bytes;
        for (const socket of rawSockets) socket.send(payload, { binary: false });
        await turn();
      }
      break;
    }
    case "usage":
      collectGarbage();
      break;
  }
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return { ...ports, cpuMs: (user + system) / 1_000, rssBytes: rss, heapBytes: heapUsed };
});

/** The realtime module as the service uses it; a token is the id of the user. */
async function startNode(adminUrl: string, masterKey: string): Promise<number> {
  const observer = createObserver({ level: "warn", format: "json", destination: process.stderr });
  const database = openDatabase({ url: adminUrl, masterKey, poolSize: 10, observer });
  const directUrl = withRole(adminUrl, "sb_replica", derivePassword(masterKey, "sb_replica"));
  const changes = openChanges({ openStream: openReplication(directUrl), database, observer, clock: systemClock });
  const realtime = openRealtime({
    changes,
    authenticate: async (token) => ({
      principal:
        token === null
          ? { role: "anon", userId: null, claims: { role: "anon" }, session: null }
          : { role: "authenticated", userId: token, claims: { role: "authenticated", sub: token }, session: null },
      expiresAt: null,
    }),
    privateTopics: createPrivateTopics({
      database,
      settings: { dbSchemas: ["public"], dbStatementTimeoutMs: 8_000 },
      newId: randomUUID,
      translateEnter: (error) => error,
    }),
    followedTopics: createFollowedTopics(database.service),
    settings: { ...loadSettings({}), realtimeIdleTimeoutMs: 3_600_000, realtimeChannelsPerUser: 0 },
    observer,
    clock: systemClock,
    newId: randomUUID,
  });
  const { signal } = new AbortController();
  for (const worker of [changes.worker, ...realtime.workers]) void worker.run(signal);
  const server = createServer();
  server.on("upgrade", (request, socket, head) => realtime.handleUpgrade(request, socket, head));
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function startRaw(): Promise<number> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false });
  sockets.on("connection", (socket) => {
    rawSockets.add(socket);
    socket.on("message", () => socket.send('["1","1","realtime:bench","phx_reply",{"status":"ok","response":{}}]'));
    socket.on("close", () => rawSockets.delete(socket));
    socket.on("error", () => {});
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
