import type { ModelUsage } from "swarmbase/extension";
import { asRecord, parseRecord } from "./parse-record.ts";

export interface TextDelta {
  readonly type: "text" | "reasoning";
  readonly delta: string;
}

/** Reads a frame that holds only a text or reasoning delta. `neutral`: the frame is empty. Null: it holds anything else. */
export type FrameReader = (json: string) => TextDelta | "neutral" | null;

/** The end of an answer that consists only of text. */
export interface StreamEnd {
  readonly reason: "stop" | "length";
  /** Null: the provider did not report it. */
  readonly usage: CountedUsage | null;
}

type CountedUsage = Omit<ModelUsage, "isEstimated">;

/** Reads a frame that holds only information about the end. Null: it holds anything else. */
export type EndReader = (json: string) => Partial<StreamEnd> | null;

/** Recognises answers that consist only of text in the format of a vendor. */
export interface FrameFormat {
  readonly readDelta: FrameReader;
  readonly readEnd: EndReader;
}

/** Chat completions in OpenAI's format. The vendor's package handles all frames that are not plain text or reasoning. */
export const readChatFrame: FrameReader = (json) => {
  const frame = parseRecord(json);
  if (frame === null || "error" in frame || (frame["usage"] ?? null) !== null) return null;
  const { choices } = frame;
  if (!Array.isArray(choices) || choices.length !== 1) return null;
  const choice = asRecord(choices[0]);
  const delta = asRecord(choice?.["delta"]);
  if (choice === null || delta === null || (choice["finish_reason"] ?? null) !== null) return null;
  let text = "";
  let reasoning = "";
  for (const [key, value] of Object.entries(delta)) {
    if (value === null || (key === "role" && value === "assistant")) continue;
    if (typeof value !== "string") return null;
    if (key === "content") text = value;
    else if (key === "reasoning_content") reasoning = value;
    else return null;
  }
  if (text !== "" && reasoning !== "") return null;
  if (text !== "") return { type: "text", delta: text };
  return reasoning === "" ? "neutral" : { type: "reasoning", delta: reasoning };
};

export const readChatEnd: EndReader = (json) => {
  if (json.trim() === "[DONE]") return {};
  const frame = parseRecord(json);
  if (frame === null || "error" in frame || !Array.isArray(frame["choices"])) return null;
  const [only, ...others] = frame["choices"] as unknown[];
  const choice = asRecord(only ?? {});
  const delta = asRecord(choice?.["delta"] ?? {});
  if (choice === null || delta === null || others.length > 0 || !Object.entries(delta).every(isEmpty)) return null;
  const reason = choice["finish_reason"] ?? null;
  const usage = frame["usage"] ?? null;
  const counted = usage === null ? null : readUsage(usage);
  if (usage !== null && counted === null) return null;
  if (reason !== null && reason !== "stop" && reason !== "length") return null;
  return { ...(reason !== null && { reason }), ...(counted !== null && { usage: counted }) };
};

export const CHAT_FRAMES: FrameFormat = { readDelta: readChatFrame, readEnd: readChatEnd };

function isEmpty([key, value]: [string, unknown]): boolean {
  return value === null || value === "" || (key === "role" && value === "assistant");
}

function readUsage(value: unknown): CountedUsage | null {
  const usage = asRecord(value);
  const inputDetails = asRecord(usage?.["prompt_tokens_details"] ?? {});
  const outputDetails = asRecord(usage?.["completion_tokens_details"] ?? {});
  const inputTokens = readCount(usage?.["prompt_tokens"]);
  const outputTokens = readCount(usage?.["completion_tokens"]);
  const cachedInputTokens = readCount(inputDetails?.["cached_tokens"] ?? 0);
  const reasoningTokens = readCount(outputDetails?.["reasoning_tokens"] ?? 0);
  if (inputTokens === null || outputTokens === null || cachedInputTokens === null || reasoningTokens === null)
    return null;
  return { inputTokens, cachedInputTokens, outputTokens, reasoningTokens };
}

function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
