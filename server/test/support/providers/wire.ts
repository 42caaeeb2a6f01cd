import type { VendorKind } from "../../../src/config/index.ts";
import { ENCRYPTED_REASONING, responsesWire } from "./responses-wire.ts";
import type { WireAnswer } from "./wire-answer.ts";

const lines = (frames: readonly unknown[]) => frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`);

/** What the answers of a vendor have of their own. */
interface WireTraits {
  readonly reasoningTokens: number;
  /** A refusal arrives as text with a reason, otherwise as an error. */
  readonly isRefusalText: boolean;
  readonly canOmitUsage: boolean;
  /** Arrives with a tool call and must be sent back with its result. */
  readonly signature: string | null;
}

const OPENAI_TRAITS: WireTraits = { reasoningTokens: 2, isRefusalText: true, canOmitUsage: true, signature: null };

export const WIRE_TRAITS: Readonly<Record<VendorKind, WireTraits>> = {
  openai: OPENAI_TRAITS,
  "openai-responses": { ...OPENAI_TRAITS, signature: ENCRYPTED_REASONING },
  "openai-compatible": OPENAI_TRAITS,
  anthropic: { reasoningTokens: 0, isRefusalText: false, canOmitUsage: false, signature: null },
  google: { reasoningTokens: 2, isRefusalText: false, canOmitUsage: true, signature: "c2lnbmVk" },
};

/** An answer in the stream format of each vendor: 12 input tokens (4 of them cached when reported), 7 output tokens. */
export const WIRE: Readonly<Record<VendorKind, (answer: WireAnswer) => readonly string[]>> = {
  openai: (answer) => [...openai(answer), "data: [DONE]\n\n"],
  "openai-responses": responsesWire,
  "openai-compatible": (answer) => [...openai(answer), "data: [DONE]\n\n"],
  anthropic,
  google,
};

function openai({ texts = [], calls = [], end = "stop", hasUsage = true }: WireAnswer): readonly string[] {
  const frame = (delta: unknown, finish: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const field = end === "refusal" ? "refusal" : "content";
  const usage = {
    prompt_tokens: 12,
    completion_tokens: 7,
    total_tokens: 19,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  return lines([
    frame({ role: "assistant", content: "" }),
    ...texts.map((text) => frame({ [field]: text })),
    ...calls.flatMap(({ id, name, input }, index) => {
      const text = input === null ? "" : JSON.stringify(input);
      const half = Math.floor(text.length / 2);
      const head = { index, id, type: "function", function: { name, arguments: text.slice(0, half) } };
      return [
        frame({ tool_calls: [head] }),
        frame({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
      ];
    }),
    frame({}, calls.length > 0 ? "tool_calls" : end === "length" ? "length" : "stop"),
    ...(hasUsage ? [{ ...frame({}), choices: [], usage }] : []),
  ]);
}

function anthropic({ texts = [], calls = [], end = "stop" }: WireAnswer): readonly string[] {
  const start = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 1 },
  };
  const block = (index: number, content: unknown, deltas: readonly unknown[]) => [
    { type: "content_block_start", index, content_block: content },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const first = texts.length > 0 ? 1 : 0;
  const reason = calls.length > 0 ? "tool_use" : { stop: "end_turn", length: "max_tokens", refusal: "refusal" }[end];
  const frames = [
    { type: "message_start", message: start },
    { type: "ping" },
    ...(first === 1
      ? block(
          0,
          { type: "text", text: "" },
          texts.map((text) => ({ type: "text_delta", text })),
        )
      : []),
    ...calls.flatMap(({ id, name, input }, index) => {
      const partial = input === null ? [] : [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
      return block(index + first, { type: "tool_use", id, name, input: {} }, partial);
    }),
    { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ];
  return frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
}

function google({ texts = [], calls = [], end = "stop", hasUsage = true }: WireAnswer): readonly string[] {
  const frame = (parts: readonly unknown[], finishReason?: string) => ({
    candidates: [{ content: { parts, role: "model" }, index: 0, ...(finishReason ? { finishReason } : {}) }],
    modelVersion: "m",
  });
  const usage = { promptTokenCount: 12, cachedContentTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 2 };
  const reason = { stop: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" }[end];
  return lines([
    ...texts.map((text) => frame([{ text }])),
    ...calls.map(({ name, input }) =>
      frame([{ functionCall: { name, args: input ?? {} }, thoughtSignature: "c2lnbmVk" }]),
    ),
    { ...frame([], reason), ...(hasUsage ? { usageMetadata: { ...usage, totalTokenCount: 19 } } : {}) },
  ]);
}
