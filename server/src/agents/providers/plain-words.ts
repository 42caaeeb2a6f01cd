import { isRecord } from "../../json/index.ts";

export interface PlainWords {
  readonly type: "text" | "reasoning";
  readonly delta: string;
}

/** What a frame of a stream may be, as far as it is of the most frequent kind: nothing but words. */
export type FrameReader = (json: string) => PlainWords | "neutral" | null;

/** How an answer ends that was nothing but words. */
export interface PlainEnd {
  readonly reason: "stop" | "length";
  /** Null: the provider did not say. */
  readonly usage: PlainUsage | null;
}

interface PlainUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** What a frame says of the end, if it says nothing else; null: it says something else. */
export type EndReader = (json: string) => Partial<PlainEnd> | null;

/** How plain answers are told from all others in a vendor's format. */
export interface FrameFormat {
  readonly readWords: FrameReader;
  readonly readEnd: EndReader;
}

/**
 * Chat completions in OpenAI's format. Null for everything that is not plainly a piece of text or thought: what else there
 * is, the vendor's package knows.
 */
export const readChatFrame: FrameReader = (json) => {
  const frame = parseRecord(json);
  if (frame === null || "error" in frame || (frame["usage"] ?? null) !== null) return null;
  const { choices } = frame;
  if (!Array.isArray(choices) || choices.length !== 1) return null;
  const choice = asRecord(choices[0]);
  const delta = asRecord(choice?.["delta"]);
  if (choice === null || delta === null || (choice["finish_reason"] ?? null) !== null) return null;
  let text = "";
  let thought = "";
  for (const [key, value] of Object.entries(delta)) {
    if (value === null || (key === "role" && value === "assistant")) continue;
    if (typeof value !== "string") return null;
    if (key === "content") text = value;
    else if (key === "reasoning_content") thought = value;
    else return null;
  }
  if (text !== "" && thought !== "") return null;
  if (text !== "") return { type: "text", delta: text };
  return thought === "" ? "neutral" : { type: "reasoning", delta: thought };
};

export const readChatEnd: EndReader = (json) => {
  if (json.trim() === "[DONE]") return {};
  const frame = parseRecord(json);
  if (frame === null || "error" in frame || !Array.isArray(frame["choices"])) return null;
  const [only, ...others] = frame["choices"] as unknown[];
  const choice = asRecord(only ?? {});
  const delta = asRecord(choice?.["delta"] ?? {});
  if (choice === null || delta === null || others.length > 0 || !Object.entries(delta).every(isSilent)) return null;
  const reason = choice["finish_reason"] ?? null;
  const usage = frame["usage"] ?? null;
  const counted = usage === null ? null : readUsage(usage);
  if (usage !== null && counted === null) return null;
  if (reason !== null && reason !== "stop" && reason !== "length") return null;
  return { ...(reason !== null && { reason }), ...(counted !== null && { usage: counted }) };
};

export const CHAT_FRAMES: FrameFormat = { readWords: readChatFrame, readEnd: readChatEnd };

function isSilent([key, value]: [string, unknown]): boolean {
  return value === null || value === "" || (key === "role" && value === "assistant");
}

function readUsage(value: unknown): PlainUsage | null {
  const usage = asRecord(value);
  const given = asRecord(usage?.["prompt_tokens_details"] ?? {});
  const made = asRecord(usage?.["completion_tokens_details"] ?? {});
  const inputTokens = readCount(usage?.["prompt_tokens"]);
  const outputTokens = readCount(usage?.["completion_tokens"]);
  const cachedInputTokens = readCount(given?.["cached_tokens"] ?? 0);
  const reasoningTokens = readCount(made?.["reasoning_tokens"] ?? 0);
  if (inputTokens === null || outputTokens === null || cachedInputTokens === null || reasoningTokens === null)
    return null;
  return { inputTokens, cachedInputTokens, outputTokens, reasoningTokens };
}

function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function parseRecord(json: string): Readonly<Record<string, unknown>> | null {
  try {
    return asRecord(JSON.parse(json));
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return isRecord(value) ? value : null;
}
