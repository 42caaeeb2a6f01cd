import type { Framework } from "@swarmbase/sdk";
import type { OfferedModel } from "../../config/index.ts";
import type { ModelErrorCode } from "../../errors/index.ts";
import type { Deadlines } from "./deadlines.ts";
import type { ModelCall, ModelFinish, ModelToolCall, ModelUsage } from "./model-port.ts";
import type { SentSettings } from "./setting-values.ts";

export interface AdapterCall {
  readonly framework: Framework;
  readonly model: OfferedModel;
  readonly call: ModelCall;
  readonly sent: SentSettings;
  readonly deadlines: Deadlines;
  readonly traceparent: string | undefined;
}

/** Numbers that the vendor did not report are null. */
export type ReportedUsage = {
  readonly [K in Exclude<keyof ModelUsage, "isEstimated" | "cacheWriteTokens">]: number | null;
} & {
  readonly cacheWriteTokens?: number | null;
  /** The numbers are estimates. */
  readonly isEstimated?: true;
};

export type AdapterEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  /** A setting that the package did not send. */
  | { readonly type: "dropped"; readonly setting: string }
  | {
      readonly type: "finish";
      readonly reason: ModelFinish;
      readonly usage: ReportedUsage;
      readonly toolCalls: readonly ModelToolCall[];
    };

/** A failed attempt. The text has no words of the vendor, because vendors quote keys, prompts and addresses. */
export interface AdapterFault {
  readonly code: ModelErrorCode;
  readonly isRetryable: boolean;
  readonly text: string;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
}

export interface Adapter {
  /** One attempt at one provider. */
  stream(call: AdapterCall): AsyncGenerator<AdapterEvent, void, undefined>;
  /** Translates what `stream` has thrown, unless it is a `ModelError`. */
  explainFault(error: unknown, now: Date): AdapterFault;
}
