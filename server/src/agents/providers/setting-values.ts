import type { JsonRecord } from "../../json/index.ts";

/** The settings of a request. The provider decides about absent ones. */
export interface SentSettings {
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: string[];
  readonly seed?: number;
  readonly reasoning?: ReasoningEffort;
  readonly responseFormat?: ResponseFormat;
  /** By the name of a vendor: what only its protocol has. */
  readonly providerOptions?: Readonly<Record<string, JsonRecord>>;
}

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export type ResponseFormat =
  | { readonly type: "text" }
  | {
      readonly type: "json";
      /** Absent means any JSON. */
      readonly schema?: JsonRecord;
      readonly name?: string;
      readonly description?: string;
    };

/** Adds a warning to the turn if the agent has the setting. The default says that the model does not support it. */
export type Warn = (setting: string, message?: string) => void;
