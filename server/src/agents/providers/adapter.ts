import type { Framework } from "@swarmbase/sdk";
import type { OfferedModel } from "../../config/index.ts";
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

/** One attempt at one provider. `explainFault` translates what it throws. */
export interface Adapter {
  stream(call: AdapterCall): AsyncGenerator<AdapterEvent, void, undefined>;
}
