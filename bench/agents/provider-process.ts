import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent } from "../rest/child.ts";
import { LOOK_UP, machineMs, type ProviderScript, readScript } from "./script-marker.ts";

/** `finish`: all answers end with the next piece. */
export type ProviderQuestion = { readonly kind: "start" | "report" | "finish" };

export interface ProviderAnswer {
  readonly port: number;
  /** The times at which callers closed streams, since the last report, by the machine's clock. */
  readonly cutsAtMs: number[];
  readonly calls: number;
  /** How many results of tools with a kilobyte the last prompt had. */
  readonly resultsRead: number;
}

const AT_ONCE: ProviderScript = { delayMs: 0, pieces: 12, piecesPerSecond: 0, isStamped: false };
const DONE = "data: [DONE]\n\n";

let port = 0;
let calls = 0;
let resultsRead = 0;
let cutsAtMs: number[] = [];
const finishers = new Set<() => void>();

answerParent<ProviderQuestion, ProviderAnswer>(async ({ kind }) => {
  if (kind === "start") port = await listen();
  if (kind === "finish") for (const finish of finishers) finish();
  const report = { port, cutsAtMs, calls, resultsRead };
  cutsAtMs = [];
  calls = 0;
  return report;
});

/** Serves chat completions in OpenAI's format, streamed or not. */
async function listen(): Promise<number> {
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 60_000;
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

interface AskedMessage {
  readonly role?: string;
  readonly content?: string;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body: Buffer[] = [];
  for await (const piece of request) body.push(piece as Buffer);
  const asked = JSON.parse(Buffer.concat(body).toString()) as { stream?: boolean; messages?: AskedMessage[] };
  calls += 1;
  const isResult = ({ role, content = "" }: AskedMessage): boolean => role === "tool" && content.length > 1_000;
  resultsRead = asked.messages?.filter(isResult).length ?? 0;
  const script = readScript(asked.messages?.[0]?.content ?? "") ?? AT_ONCE;
  response.on("close", () => {
    if (!response.writableFinished) cutsAtMs.push(machineMs());
  });
  if (asked.messages?.at(-1)?.content === LOOK_UP) response.writeHead(200, STREAM).end(CALLS);
  else if (asked.stream === true) stream(response, script);
  else {
    const content = "word ".repeat(script.pieces);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        ...HEAD,
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
        usage: USAGE,
      }),
    );
  }
}

const HEAD = { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "bench" };
const STREAM = { "content-type": "text/event-stream" };
const USAGE = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 };

function stream(response: ServerResponse, script: ProviderScript): void {
  response.socket?.setNoDelay(true);
  response.writeHead(200, STREAM);
  response.flushHeaders();
  if (script.delayMs > 0) setTimeout(begin, script.delayMs);
  else begin();

  function begin(): void {
    const first = script.isStamped ? `at:${machineMs()}: ` : "word ";
    if (script.piecesPerSecond === 0) {
      response.end([frame(first), ...Array.from({ length: script.pieces - 1 }, () => frame("word ")), end()].join(""));
      return;
    }
    response.write(frame(first));
    let sent = 1;
    const finish = (): void => {
      sent = script.pieces;
    };
    finishers.add(finish);
    const timer = setInterval(() => {
      sent += 1;
      if (sent <= script.pieces) response.write(frame("word "));
      else {
        clearInterval(timer);
        response.end(end());
      }
    }, 1_000 / script.piecesPerSecond);
    response.on("close", () => {
      clearInterval(timer);
      finishers.delete(finish);
    });
  }
}

function frame(content: string): string {
  return render({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
}

function end(): string {
  return (
    render({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) + render({ choices: [], usage: USAGE }) + DONE
  );
}

const FOUND = JSON.stringify({ items: Array.from({ length: 20 }, (_, item) => ({ item, about: "word ".repeat(8) })) });
const CALLS = [0, 1]
  .map((index) => {
    const call = { name: "json_query", arguments: JSON.stringify({ json: FOUND, path: "items" }) };
    const delta = { tool_calls: [{ index, id: `call_${index}`, type: "function", function: call }] };
    return render({ choices: [{ index: 0, delta, finish_reason: null }] });
  })
  .concat(render({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }), DONE)
  .join("");

function render(rest: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: "chat.completion.chunk", ...rest })}\n\n`;
}
