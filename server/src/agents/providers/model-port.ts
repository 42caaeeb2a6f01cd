import type { Framework } from "@swarmbase/sdk";
import type { ModelError } from "../../errors/index.ts";

/** One call of a model, independent of the formats of vendors. */
export interface ModelCall {
  readonly framework: Framework;
  /** Null means the default of the framework. */
  readonly model: string | null;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly toolChoice: ToolChoice;
  /** As the agent stores them; defaults apply where a key is absent. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** An upper limit for max_tokens. */
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
  readonly attempts?: AttemptObserver;
  /** For the answers of the simulated provider. */
  readonly agent: { readonly id: string; readonly name: string };
}

/** `none`: the model must answer with text. `required`: it must call a tool. A name: it must call that tool. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** Learns of each request to a provider that a call leads to: the first attempt, retries and fallbacks. */
export interface AttemptObserver {
  /** Called before the request is sent, with the settings that it has. Returns its traceparent. */
  start(attempt: Attempt, settings: ModelCall["settings"]): string | undefined;
  /** Called when the attempt failed and another one follows. The caller of `stream` gets the error of the last one. */
  fail(error: ModelError): void;
}

export interface Attempt {
  readonly framework: Framework;
  readonly model: string;
  /** 1 for the first request of the call. */
  readonly attempt: number;
}

export type ModelMessage =
  | ({
      readonly role: "user";
      /** The images of the run belong here; a call adds them. */
      readonly showsImages?: true;
      readonly images?: readonly NamedImage[];
    } & JoinedContent)
  | ({ readonly role: "assistant"; readonly toolCalls?: readonly ModelToolCall[] } & JoinedContent)
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: string;
      readonly isError: boolean;
      /** What the output only names. Models that do not accept images read the output alone. */
      readonly images?: readonly ModelImage[];
      /** Of a call of an earlier turn. */
      readonly executionId?: string;
    };

export interface ModelImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** The content of messages refers to it by the name. */
export interface NamedImage extends ModelImage {
  readonly name: string;
}

interface JoinedContent {
  readonly content: string;
  /** The offsets of the swarm messages in the content; absent when the content is exactly one message. */
  readonly starts?: readonly number[];
  /** The authors of these messages; absent where only one person speaks with the agent. */
  readonly names?: readonly string[];
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it; may not be valid JSON. */
  readonly inputText: string;
  /** Vendor data that is sent back with the call (thought signatures). */
  readonly opaque?: Readonly<Record<string, unknown>>;
  /** Reasoning before the call, signed by the vendor and sent back with the call. */
  readonly thoughts?: readonly ModelThought[];
  /** Of a call of an earlier turn. */
  readonly executionId?: string;
}

export interface ModelThought {
  readonly text: string;
  readonly opaque: Readonly<Record<string, unknown>>;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  /** The part of inputTokens that the provider stored in its cache; absent when there is none. */
  readonly cacheWriteTokens?: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** True when the vendor did not report all numbers. */
  readonly isEstimated: boolean;
}

/** `content_filter` occurs only after some text. An answer without text throws `CONTENT_FILTERED`. */
export type ModelFinish = "stop" | "length" | "tool_calls" | "content_filter" | "other";

export type ModelEvent =
  /** The first event. Sent again for a retry or a fallback; followed by warnings. */
  | ({ readonly type: "start" } & Attempt)
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  /** Sent when the answer is complete, right before `finish`. */
  | { readonly type: "tool_call"; readonly call: ModelToolCall }
  /** A setting that was dropped or clamped. */
  | { readonly type: "warning"; readonly warning: ModelWarning }
  | { readonly type: "finish"; readonly reason: ModelFinish; readonly usage: ModelUsage };

export interface ModelWarning {
  readonly setting: string;
  readonly message: string;
}
