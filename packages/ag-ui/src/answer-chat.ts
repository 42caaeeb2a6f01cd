import { SwarmChatTransport, type SwarmUIMessage } from "@swarmbase/sdk/ai";
import {
  AppError,
  type ExtensionRequest,
  type ExtensionResponse,
  openEventStream,
  toExtensionError,
} from "swarmbase/extension";
import type { Target } from "./target.ts";

const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };

/** Answers a request of `DefaultChatTransport`. Further members of the body are passed on to `agent-respond`. */
export async function answerChat({ body, core, signal }: ExtensionRequest, target: Target): Promise<ExtensionResponse> {
  const { id: chatId = "", messages, trigger = "submit-message", messageId, ...more } = readChat(body);
  const transport = new SwarmChatTransport({
    client: { ...core, from: refuseTables },
    ...("agent_id" in target ? { agentId: target.agent_id } : { swarmId: target.swarm_id }),
    // A request that ends may be a page that is loaded again.
    cancelOnStop: false,
  });
  const chunks = await transport
    .sendMessages({ chatId, messages, trigger, messageId, abortSignal: signal, body: more })
    .catch((error: unknown) => {
      // The transport reports messages that it cannot send this way.
      if (error instanceof TypeError) throw new AppError("VALIDATION_ERROR", error.message);
      throw error;
    });
  return openEventStream(renderChunks(chunks), { headers: HEADERS, renderFailure });
}

interface Chat {
  readonly id?: string;
  readonly messages: SwarmUIMessage[];
  readonly trigger?: "submit-message" | "regenerate-message";
  readonly messageId?: string;
}

function readChat(body: unknown): Chat {
  const { messages, trigger } = (body ?? {}) as Partial<Chat>;
  const details: Record<string, string> = {};
  if (!Array.isArray(messages) || !messages.every(isMessage)) details["messages"] = "must be messages with parts";
  if (trigger !== undefined && trigger !== "submit-message" && trigger !== "regenerate-message")
    details["trigger"] = "must be submit-message or regenerate-message";
  if (Object.keys(details).length > 0)
    throw new AppError("VALIDATION_ERROR", "The request body is not valid", { details });
  return body as Chat;
}

function isMessage(message: unknown): boolean {
  const { id, role, parts } = (message ?? {}) as Partial<SwarmUIMessage>;
  return typeof id === "string" && typeof role === "string" && Array.isArray(parts) && parts.every(isPart);
}

function isPart(part: unknown): boolean {
  const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
  return typeof type === "string" && (type !== "text" || typeof text === "string");
}

function refuseTables(): never {
  throw new Error("only a chat that reconnects reads tables");
}

async function* renderChunks(chunks: ReadableStream<unknown>): AsyncGenerator<string, void, undefined> {
  for await (const chunk of chunks) yield renderChunk(chunk);
  yield "data: [DONE]\n\n";
}

function renderChunk(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function renderFailure(error: unknown): string {
  const known = toExtensionError(error);
  if (known === null) throw error;
  return renderChunk({ type: "error", errorText: known.message });
}
