import { TOKENS_PER_IMAGE } from "../providers/count-usage.ts";
import { estimateTokens } from "../providers/estimate-tokens.ts";
import type { ModelCall, ModelMessage, ModelTool } from "../providers/model-port.ts";
import type { RunPorts } from "../run/live-run.ts";
import { responseSchemaOf } from "../schemas/response-schema.ts";

interface InputEstimate {
  readonly inputTokens: number;
  readonly imageTokens: number;
  readonly charsPerToken: number;
}

type EstimatedCall = Pick<ModelCall, "framework" | "model" | "system" | "messages" | "tools" | "settings">;

/** The tokens that a call sends. */
export function estimateInput({ models, calibration }: RunPorts, call: EstimatedCall): InputEstimate {
  const { framework, model, system, messages, tools, settings } = call;
  const charsPerToken = calibration.ratioFor(models.describe(framework, model).model);
  const { text, imageTokens } = measureMessages(messages);
  const inputTokens = estimateTokens(system + text + renderExtras(tools, settings), charsPerToken) + imageTokens;
  return { inputTokens, imageTokens, charsPerToken };
}

/** What a call sends in addition to the conversation. */
export function renderExtras(tools: readonly ModelTool[], settings: ModelCall["settings"]): string {
  return JSON.stringify([tools, responseSchemaOf(settings)]);
}

/** The text of the messages, and an estimate for their images, whose data has nothing to do with their tokens. */
function measureMessages(messages: readonly ModelMessage[]): { readonly text: string; readonly imageTokens: number } {
  let count = 0;
  const bare = messages.map((message) => {
    if (message.role === "assistant" || message.images === undefined) return message;
    count += message.images.length;
    const { images: _images, ...rest } = message;
    return rest;
  });
  return { text: JSON.stringify(bare), imageTokens: count * TOKENS_PER_IMAGE };
}
