import os from "node:os";
import { type HttpAnswer, type HttpTarget, openConnection } from "../load/http-connection.ts";
import { type LoadConnection, openLoadConnection } from "../load/load-connection.ts";
import { answerParent } from "./child.ts";
import type { Round } from "./contender.ts";

export type LoadQuestion =
  | { readonly kind: "open"; readonly name: string; readonly target: HttpTarget; readonly connections: number }
  | { readonly kind: "ask"; readonly name: string; readonly request: Uint8Array }
  | {
      readonly kind: "keep";
      readonly name: string;
      readonly operation: string;
      readonly requests: readonly Uint8Array[];
    }
  | ({ readonly kind: "run"; readonly name: string; readonly operation: string } & RunLength);

/** At least this long and, if requested, once through the list, but never longer than the maximum. */
export interface RunLength {
  readonly durationMs: number;
  readonly maxMs?: number;
}

export interface LoadAnswer {
  readonly asked?: HttpAnswer;
  readonly round?: Round;
}

interface Line {
  readonly target: HttpTarget;
  connections: readonly LoadConnection[];
  readonly requests: Map<string, { readonly list: readonly Buffer[]; next: number }>;
}

const CORES = os.availableParallelism();
const lines = new Map<string, Line>();

answerParent(async (question: LoadQuestion): Promise<LoadAnswer> => {
  switch (question.kind) {
    case "open": {
      const { name, target, connections } = question;
      const opened = await Promise.all(Array.from({ length: connections }, () => openLoadConnection(target)));
      lines.set(name, { target, connections: opened, requests: new Map() });
      return {};
    }
    case "ask":
      return { asked: await ask(lineOf(question.name).target, toBuffer(question.request)) };
    case "keep": {
      const list = question.requests.map(toBuffer);
      lineOf(question.name).requests.set(question.operation, { list, next: 0 });
      return {};
    }
    case "run": {
      const line = lineOf(question.name);
      await reopen(line);
      return { round: await run(line, question.operation, question) };
    }
  }
});

async function ask(target: HttpTarget, request: Buffer): Promise<HttpAnswer> {
  const connection = await openConnection(target);
  try {
    return await connection.ask(request);
  } finally {
    connection.close();
  }
}

/** Before the clock starts, because a server may have closed idle connections meanwhile. */
async function reopen(line: Line): Promise<void> {
  line.connections = await Promise.all(
    line.connections.map(async (connection) => (connection.isOpen() ? connection : openLoadConnection(line.target))),
  );
}

async function run(
  { connections, requests }: Line,
  operation: string,
  { durationMs, maxMs = 0 }: RunLength,
): Promise<Round> {
  const kept = requests.get(operation);
  if (kept === undefined) throw new Error(`nothing is kept for ${operation}`);
  const { list } = kept;
  const usedBefore = process.cpuUsage();
  const startedAt = performance.now();
  const endAt = startedAt + durationMs;
  const mostAt = startedAt + maxMs;
  let count = 0;
  let waiting = connections.length;
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const sendNext = (connection: LoadConnection): void => {
    const request = list[kept.next];
    kept.next = (kept.next + 1) % list.length;
    if (request === undefined) reject(new Error("there are no requests"));
    else connection.send(request);
  };
  const listener = {
    onAnswer: (connection: LoadConnection, status: number): void => {
      if (status !== 200 && status !== 201) {
        reject(new Error(`${operation} was answered with ${status}`));
        return;
      }
      count += 1;
      const now = performance.now();
      if (now < endAt || (now < mostAt && count < list.length)) {
        sendNext(connection);
        return;
      }
      waiting -= 1;
      if (waiting === 0) resolve();
    },
    onError: reject,
  };
  for (const connection of connections) {
    connection.listener = listener;
    sendNext(connection);
  }
  await done;
  for (const connection of connections) connection.listener = null;
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(usedBefore);
  return { requests: count, seconds, loadShare: (user + system) / 1e6 / (seconds * CORES) };
}

function lineOf(name: string): Line {
  const line = lines.get(name);
  if (line === undefined) throw new Error(`no connections to ${name}`);
  return line;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
