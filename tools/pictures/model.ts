import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** One scripted answer of a model: text, or a tool call. The text can pause after `holdAfter` until it is released. */
type Line =
  | { readonly say: string; readonly holdAfter?: string }
  | { readonly use: string; readonly input: Readonly<Record<string, unknown>> };

/** The scripted answers of each agent, call by call. */
export type Script = Readonly<Record<string, readonly Line[]>>;

export interface Model {
  readonly url: string;
  /** Releases the paused answer. */
  release(): void;
  close(): void;
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const WORD_MS = 6;
const CHARS_OF_A_TOKEN = 4;

/**
 * A server that plays a model: it streams scripted answers in the format of chat completions. `findName` says which agent asks, by
 * the instructions in the request.
 */
export async function startModel(script: Script, findName: (instructions: string) => string): Promise<Model> {
  const left = new Map(Object.entries(script).map(([name, lines]) => [name, [...lines]]));
  let release: () => void = () => {};
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = Buffer.concat(await request.toArray()).toString();
    const name = findName((JSON.parse(text) as Asked).messages[0]?.content ?? "");
    const line = left.get(name)?.shift();
    if (line === undefined) {
      response.writeHead(400).end(JSON.stringify({ error: { message: `nothing is written for ${name}` } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (frame: object) =>
      response.write(
        `data: ${JSON.stringify({ id: "answer", object: "chat.completion.chunk", created: 1, model: "played", ...frame })}\n\n`,
      );
    const sendPart = (delta: object, end: string | null = null) =>
      send({ choices: [{ index: 0, delta, finish_reason: end }] });
    sendPart({ role: "assistant", content: "" });
    if ("say" in line) {
      const { say, holdAfter } = line;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let said = "";
      let isHeld = false;
      for (const word of say.match(/\S+\s*/g) ?? []) {
        sendPart({ content: word });
        said += word;
        if (!isHeld && holdAfter !== undefined && said.includes(holdAfter)) {
          isHeld = true;
          await held;
        }
        await wait(WORD_MS);
      }
    } else {
      const call = { name: line.use, arguments: JSON.stringify(line.input) };
      sendPart({
        tool_calls: [{ index: 0, id: `call_${left.get(name)?.length ?? 0}`, type: "function", function: call }],
      });
    }
    sendPart({}, "say" in line ? "stop" : "tool_calls");
    send({ choices: [], usage: countUsage(text, JSON.stringify(line)) });
    response.end("data: [DONE]\n\n");
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    release: () => release(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function countUsage(asked: string, answered: string): object {
  const prompt = Math.ceil(asked.length / CHARS_OF_A_TOKEN);
  const completion = Math.ceil(answered.length / CHARS_OF_A_TOKEN);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
