import type { Framework } from "@swarmbase/sdk";

/** One call of a model, in words of our own: no vendor's format passes this line. */
export interface ModelCall {
  readonly framework: Framework;
  /** Null asks for the framework's default. */
  readonly model: string | null;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** `none`: the model must answer in words. A name: it must call that tool. */
  readonly toolChoice: "auto" | "none" | { readonly tool: string };
  /** As the agent stores them; defaults apply where a key is absent. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The most that may be written, whatever the settings say. */
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
  readonly traceparent?: string;
  /** What a deterministic answer depends on besides the texts. */
  readonly agent: { readonly id: string; readonly name: string };
}

export type ModelMessage =
  | ({ readonly role: "user" } & JoinedContent)
  | ({ readonly role: "assistant"; readonly toolCalls?: readonly ModelToolCall[] } & JoinedContent)
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: string;
      readonly isError: boolean;
    };

interface JoinedContent {
  readonly content: string;
  /** Where each message of the swarm begins, if the content is not exactly one of them. */
  readonly starts?: readonly number[];
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON, or what it took for JSON. */
  readonly inputText: string;
  /** The vendor's own, to be handed back with the call (thought signatures). */
  readonly opaque?: Readonly<Record<string, unknown>>;
  /** What was thought before the call and is signed by the vendor, which wants it back with the call. */
  readonly thoughts?: readonly ModelThought[];
}

export interface ModelThought {
  readonly text: string;
  readonly opaque: Readonly<Record<string, unknown>>;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** We counted, because the vendor did not say. */
  readonly isEstimated: boolean;
}

/** `content_filter` comes only behind some text; an answer that was declined as a whole throws `CONTENT_FILTERED`. */
export type ModelFinish = "stop" | "length" | "tool_calls" | "content_filter" | "other";

export type ModelEvent =
  /** First of all events: who answers. Sent again when a retry or a fallback takes over; warnings follow it. */
  | { readonly type: "start"; readonly framework: Framework; readonly model: string; readonly attempt: number }
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  /** Once the answer is known to be whole, right before the finish. */
  | { readonly type: "tool_call"; readonly call: ModelToolCall }
  /** A setting that was dropped or clamped. */
  | { readonly type: "warning"; readonly warning: ModelWarning }
  | { readonly type: "finish"; readonly reason: ModelFinish; readonly usage: ModelUsage };

export interface ModelWarning {
  readonly setting: string;
  readonly message: string;
}

export interface ModelFacts {
  readonly framework: Framework;
  readonly model: string;
  readonly contextWindow: number;
  readonly hasTools: boolean;
  /** It thinks before it answers, and its thinking counts against max_tokens. */
  readonly isReasoning: boolean;
  readonly isSimulated: boolean;
}

export interface Models {
  /** Throws a ModelError (`INVALID_MODEL`, `PROVIDER_NOT_CONFIGURED`). */
  describe(framework: Framework, model: string | null): ModelFacts;
  /** The max_tokens that a call with these settings is sent with. Throws as `describe` does. */
  maxTokens(framework: Framework, model: string | null, settings: ModelCall["settings"]): number;
  /** Retries and fallbacks happen inside, before the first text alone. Throws a ModelError; an abort throws the signal's reason. */
  stream(call: ModelCall): AsyncIterable<ModelEvent>;
  /** Whose runs get a share of a node each, so that a provider that hangs does not hold up the others. */
  boundedFrameworks(): readonly Framework[];
  /** USD, or null where the price is unknown. */
  priceOf(framework: Framework, model: string, usage: ModelUsage): number | null;
  /** The highest price among all that may answer a call to this model, fallbacks included; null where none is known. */
  highestPriceOf(framework: Framework, model: string, usage: ModelUsage): number | null;
}
