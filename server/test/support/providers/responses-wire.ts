import type { WireAnswer, WireCall } from "./wire-answer.ts";

/** Arrives before the first call and must be sent back with its result. */
export const ENCRYPTED_REASONING = "gAAAAABencrypted";

const frame = (body: object & { readonly type: string }, sequence: number) =>
  `event: ${body.type}\ndata: ${JSON.stringify({ ...body, sequence_number: sequence })}\n\n`;

/** An answer in the stream format of OpenAI's Responses API. */
export function responsesWire({
  texts = [],
  calls = [],
  end = "stop",
  hasUsage = true,
}: WireAnswer): readonly string[] {
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_760_000_000,
    model: "m",
    status: "in_progress",
    incomplete_details: null,
    error: null,
    usage: null,
  };
  const usage = {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 19,
  };
  const isWhole = end !== "length";
  const items = [
    ...(calls.length > 0 ? [reasoning(["I should ", "look."])] : []),
    ...(texts.length > 0 ? [message(texts, end === "refusal")] : []),
    ...calls.map((call, index) => functionCall(call, index)),
  ];
  const bodies = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...items.flatMap((item, output_index) => item(output_index)),
    {
      type: isWhole ? "response.completed" : "response.incomplete",
      response: {
        ...response,
        status: isWhole ? "completed" : "incomplete",
        incomplete_details: isWhole ? null : { reason: "max_output_tokens" },
        usage: hasUsage ? usage : null,
      },
    },
  ];
  return bodies.map(frame);
}

type Item = (output_index: number) => readonly (object & { readonly type: string })[];

function reasoning(summary: readonly string[]): Item {
  const item_id = "rs_1";
  const item = { type: "reasoning", id: item_id, summary: [] as unknown[], encrypted_content: "" };
  const parts = (output_index: number) =>
    summary.flatMap((text, summary_index) => {
      const at = { item_id, output_index, summary_index };
      const part = { type: "summary_text", text };
      return [
        { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
        { type: "response.reasoning_summary_text.delta", ...at, delta: text },
        { type: "response.reasoning_summary_text.done", ...at, text },
        { type: "response.reasoning_summary_part.done", ...at, part },
      ];
    });
  return (output_index) => [
    { type: "response.output_item.added", output_index, item },
    ...parts(output_index),
    {
      type: "response.output_item.done",
      output_index,
      item: {
        ...item,
        summary: summary.map((text) => ({ type: "summary_text", text })),
        encrypted_content: ENCRYPTED_REASONING,
      },
    },
  ];
}

function message(texts: readonly string[], isRefusal: boolean): Item {
  const item = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] as unknown[] };
  const kind = isRefusal ? "refusal" : "output_text";
  const member = isRefusal ? "refusal" : "text";
  const whole = texts.join("");
  return (output_index) => {
    const at = { item_id: item.id, output_index, content_index: 0 };
    const part = { type: kind, [member]: whole, ...(!isRefusal && { annotations: [] }) };
    return [
      { type: "response.output_item.added", output_index, item },
      { type: "response.content_part.added", ...at, part: { ...part, [member]: "" } },
      ...texts.map((delta) => ({ type: `response.${kind}.delta`, ...at, delta })),
      { type: `response.${kind}.done`, ...at, [member]: whole },
      { type: "response.content_part.done", ...at, part },
      {
        type: "response.output_item.done",
        output_index,
        item: { ...item, status: "completed", content: [part] },
      },
    ];
  };
}

function functionCall({ id, name, input }: WireCall, index: number): Item {
  const whole = input === null ? "" : JSON.stringify(input);
  const half = Math.floor(whole.length / 2);
  const item = { type: "function_call", id: `fc_${index}`, call_id: id, name, arguments: "", status: "in_progress" };
  return (output_index) => {
    const at = { item_id: item.id, output_index };
    return [
      { type: "response.output_item.added", output_index, item },
      ...[whole.slice(0, half), whole.slice(half)].map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...at, arguments: whole },
      { type: "response.output_item.done", output_index, item: { ...item, arguments: whole, status: "completed" } },
    ];
  };
}
