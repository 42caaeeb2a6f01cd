import { setTimeout as sleep } from "node:timers/promises";
import {
  type CallToolRequest,
  type CallToolResult,
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  type StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { ToolQuestion, ToolResponse } from "swarmbase/extension";
import { setAsker } from "./asker.ts";
import { MAX_QUESTIONS, readQuestion } from "./elicitation.ts";
import type { HeldCall } from "./held-call.ts";

/** The longest that a timer takes. Callers set deadlines by signal. */
const NO_TIMEOUT_MS = 2_147_483_647;
const MAX_TOKEN_CHARS = 2_000;
const FIRST_EVENT_MS = 300;

interface PendingQuestion {
  readonly question: ToolQuestion;
  resolve(response: ToolResponse): void;
}

/**
 * A call to a server of a revision before 2026-07-28, which asks within the call: the call stays open until the server has the
 * answers. It has its session for itself, because a question does not say to which call it belongs.
 */
export class OpenCall {
  readonly #client: Client;
  readonly #controller = new AbortController();
  readonly #pending = new Map<string, PendingQuestion>();
  readonly #answered: Set<string>;
  readonly #result: Promise<CallToolResult>;
  #asked = Promise.withResolvers<null>();
  readonly #streamed = Promise.withResolvers<void>();
  #eventId: string | null;

  /** `held`: the call exists at the server, and another connection has made it. */
  constructor(client: Client, params: CallToolRequest["params"], held: HeldCall | null) {
    this.#client = client;
    this.#answered = new Set(held?.answered);
    this.#eventId = held?.resumption?.eventId ?? null;
    setAsker(client, (id, request) => this.#ask(JSON.stringify(id), request));
    this.#result = client.callTool(params, {
      signal: this.#controller.signal,
      timeout: NO_TIMEOUT_MS,
      onresumptiontoken: (eventId) => {
        this.#eventId = eventId;
        this.#streamed.resolve();
      },
      ...(this.#eventId !== null && { resumptionToken: this.#eventId }),
    });
    // Nobody waits while the call is held.
    this.#result.catch(() => {});
  }

  /** Waits for the result, and with null for answers. An aborted call is cancelled at the server. */
  async next(signal: AbortSignal): Promise<CallToolResult | null> {
    const cancel = (): void => this.#controller.abort(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const result = await Promise.race([this.#result, this.#asked.promise]);
      // A question can come on another stream than the result, and before the first event of that one.
      if (result === null && this.#eventId === null)
        await Promise.race([this.#streamed.promise, sleep(FIRST_EVENT_MS)]);
      return result;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Those without an answer. */
  get questions(): readonly ToolQuestion[] {
    return [...this.#pending.values()].map(({ question }) => question);
  }

  answer(responses: Readonly<Record<string, ToolResponse>>): void {
    for (const [id, response] of Object.entries(responses)) {
      this.#pending.get(id)?.resolve(response);
      this.#pending.delete(id);
      this.#answered.add(id);
    }
    if (this.#pending.size === 0) this.#asked = Promise.withResolvers<null>();
  }

  /** What the run stores while the call is held under this id. */
  describe(id: string): HeldCall {
    const transport = this.#client.transport as StreamableHTTPClientTransport | undefined;
    const { sessionId, protocolVersion: version } = transport ?? {};
    const eventId = this.#eventId;
    const isResumable = [sessionId, version, eventId].every(isToken);
    return {
      id,
      resumption: isResumable ? ({ sessionId, version, eventId } as HeldCall["resumption"]) : null,
      answered: [...this.#answered],
    };
  }

  cancel(): void {
    this.#controller.abort(new Error("nobody waits for the result"));
  }

  #ask(id: string, params: unknown): Promise<ToolResponse> {
    // A stream that is resumed repeats its messages. The server has the answer or gets it with the resumption.
    if (this.#answered.has(id)) return new Promise(() => {});
    const question = readQuestion(id, { method: "elicitation/create", params } as Parameters<typeof readQuestion>[1]);
    if (question === null || this.#pending.size >= MAX_QUESTIONS)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The question cannot be answered here");
    return new Promise((resolve) => {
      this.#pending.set(id, { question, resolve });
      this.#asked.resolve(null);
    });
  }
}

function isToken(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= MAX_TOKEN_CHARS;
}
