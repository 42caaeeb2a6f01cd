import { once } from "node:events";
import { WebSocket } from "ws";
import type { Cleanup } from "../support/database.ts";
import type { SoakStage } from "./stage.ts";

export interface SocketCounts {
  opened: number;
  frames: number;
  /** Of those that read what they are sent. */
  closed: number;
}

const READERS_EACH = 5;
/** Clients that join and then never read. */
const STALLED_EACH = 1;
const HEARTBEAT_MS = 15_000;

/** Sockets of every person that follow their rows. */
export async function openSockets(t: Cleanup, stage: SoakStage): Promise<SocketCounts> {
  const counts: SocketCounts = { opened: 0, frames: 0, closed: 0 };
  const sockets: WebSocket[] = [];
  for (const { token } of stage.people) {
    for (let number = 0; number < READERS_EACH + STALLED_EACH; number += 1) {
      const socket = await join(stage, token);
      sockets.push(socket);
      counts.opened += 1;
      if (number >= READERS_EACH) {
        socket.pause();
        continue;
      }
      socket.on("message", () => {
        counts.frames += 1;
      });
      socket.on("close", () => {
        counts.closed += 1;
      });
    }
  }
  const beating = setInterval(() => {
    for (const socket of sockets) {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify([null, "h", "phoenix", "heartbeat", {}]));
    }
  }, HEARTBEAT_MS);
  t.after(async () => {
    clearInterval(beating);
    for (const socket of sockets) socket.terminate();
  });
  return counts;
}

async function join({ url, ca, anonKey }: SoakStage, token: string): Promise<WebSocket> {
  const address = `${url.replace("https", "wss")}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`;
  const socket = new WebSocket(address, { ca });
  socket.on("error", () => {});
  await once(socket, "open");
  const config = { postgres_changes: [{ event: "*", schema: "public", table: "agents" }] };
  socket.send(JSON.stringify(["1", "1", "realtime:soak", "phx_join", { config, access_token: token }]));
  const [reply] = (await once(socket, "message")) as [Buffer];
  const frame = JSON.parse(reply.toString()) as [string, string, string, string, { readonly status?: string }];
  if (frame[4].status !== "ok") throw new Error(`a socket was refused: ${reply.toString()}`);
  return socket;
}
