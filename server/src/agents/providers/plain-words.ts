export interface PlainWords {
  readonly type: "text" | "reasoning";
  readonly delta: string;
}

/** What a frame of a stream may be, as far as it is of the most frequent kind: nothing but words. */
export type FrameReader = (json: string) => PlainWords | "neutral" | null;

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

function parseRecord(json: string): Readonly<Record<string, unknown>> | null {
  try {
    return asRecord(JSON.parse(json));
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
