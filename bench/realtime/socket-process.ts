import { once } from "node:events";
import { WebSocket } from "ws";
import { answerParent } from "../rest/child.ts";
import { BareSocket } from "./bare-socket.ts";
import { type SocketAnswer, type SocketQuestion, wallMs } from "./questions.ts";

const AT_ONCE = 32;
const BEAT_MS = 5;
let sockets: BareSocket[] = [];
let notes: [number, number][] = [];
let heartbeatsMs: number[] = [];
let stopBeating: () => void = () => {};
let seen: Promise<number> = Promise.resolve(0);
let opened: { port: number; token: string | null } = { port: 0, token: null };

answerParent<SocketQuestion, SocketAnswer>(async (question) => {
  const answer = { atMs: 0, text: "", notes: [], heartbeatsMs: [] };
  switch (question.kind) {
    case "open":
      await openAll(question.port, question.count, question.userIds);
      return answer;
    case "arm":
      seen = Promise.all(sockets.map((socket) => socket.seek(question.end))).then(() => wallMs());
      return answer;
    case "wait":
      return { ...answer, atMs: await seen };
    case "sample":
      return { ...answer, text: await sample() };
    case "note":
      for (const socket of sockets) socket.onChunk(note);
      stopBeating = await beat();
      return answer;
    case "notes": {
      stopBeating();
      const taken = { notes, heartbeatsMs };
      [notes, heartbeatsMs] = [[], []];
      return { ...answer, ...taken };
    }
    case "close":
      for (const socket of sockets) socket.close();
      sockets = [];
      return answer;
  }
});

async function openAll(port: number, count: number, userIds: readonly string[] | null): Promise<void> {
  const tokens = Array.from({ length: count }, (_, at) => userIds?.[at % userIds.length] ?? null);
  opened = { port, token: tokens[0] ?? null };
  const work = async (): Promise<void> => {
    while (tokens.length > 0) sockets.push(await BareSocket.open(port, tokens.pop() ?? null));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function note(text: string): void {
  const atMs = wallMs();
  for (const [, seq] of text.matchAll(/seq-(\d+)-/g)) notes.push([Number(seq), atMs]);
}

/** The latency that the machine and the node's event loop add to everything. */
async function beat(): Promise<() => void> {
  const ws = new WebSocket(`ws://127.0.0.1:${opened.port}/realtime/v1/websocket?apikey=bench&vsn=2.0.0`);
  await once(ws, "open");
  ws.on("message", (bytes: Buffer) => {
    const [, sentAtMs] = JSON.parse(bytes.toString()) as [null, string];
    heartbeatsMs.push(wallMs() - Number(sentAtMs));
  });
  const timer = setInterval(
    () => ws.send(JSON.stringify([null, String(wallMs()), "phoenix", "heartbeat", {}])),
    BEAT_MS,
  );
  return () => {
    clearInterval(timer);
    ws.close();
  };
}

/** Measured by a client that parses frames. */
async function sample(): Promise<string> {
  const { port, token } = opened;
  const ws = new WebSocket(`ws://127.0.0.1:${port}/realtime/v1/websocket?apikey=bench&vsn=2.0.0`);
  await once(ws, "open");
  const config = { postgres_changes: [{ event: "UPDATE", schema: "public", table: "agents" }] };
  ws.send(JSON.stringify(["1", "1", "realtime:bench", "phx_join", { config, access_token: token }]));
  for (;;) {
    const [bytes] = (await once(ws, "message")) as [Buffer];
    const text = bytes.toString();
    if (!text.includes('postgres_changes",{')) continue;
    ws.close();
    return text;
  }
}
