import { type HttpAnswer, type HttpConnection, type HttpTarget, openConnection } from "../load/http-connection.ts";
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
  connections: readonly HttpConnection[];
  readonly requests: Map<string, { readonly list: readonly Buffer[]; next: number }>;
}

const lines = new Map<string, Line>();

answerParent(async (question: LoadQuestion): Promise<LoadAnswer> => {
  switch (question.kind) {
    case "open": {
      const { name, target, connections } = question;
      const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(target)));
      lines.set(name, { target, connections: opened, requests: new Map() });
      return {};
    }
    case "ask": {
      const line = pipelineOf(question.name);
      await reopen(line);
      return { asked: await firstOf(line).ask(toBuffer(question.request)) };
    }
    case "keep": {
      const list = question.requests.map(toBuffer);
      pipelineOf(question.name).requests.set(question.operation, { list, next: 0 });
      return {};
    }
    case "run": {
      const line = pipelineOf(question.name);
      await reopen(line);
      return { round: await run(line, question.operation, question) };
    }
  }
});

/** Before the clock starts, because a server may have closed idle connections meanwhile. */
async function reopen(line: Line): Promise<void> {
  line.connections = await Promise.all(
    line.connections.map(async (connection) => (connection.isOpen() ? connection : openConnection(line.target))),
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
  const startedAt = performance.now();
  const endAt = startedAt + durationMs;
  const mostAt = startedAt + maxMs;
  let count = 0;
  const shouldGoOn = (): boolean => {
    const now = performance.now();
    return now < endAt || (now < mostAt && count < list.length);
  };
  const work = async (connection: HttpConnection): Promise<void> => {
    while (shouldGoOn()) {
      const request = list[kept.next];
      kept.next = (kept.next + 1) % list.length;
      if (request === undefined) throw new Error("there are no requests");
      const status = await connection.send(request);
      if (status !== 200 && status !== 201) throw new Error(`${operation} was answered with ${status}`);
      count += 1;
    }
  };
  await Promise.all(connections.map(work));
  return { requests: count, seconds: (performance.now() - startedAt) / 1000 };
}

function pipelineOf(name: string): Line {
  const line = lines.get(name);
  if (line === undefined) throw new Error(`no connections to ${name}`);
  return line;
}

function firstOf({ connections }: Line): HttpConnection {
  const [first] = connections;
  if (first === undefined) throw new Error("there are no connections");
  return first;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
