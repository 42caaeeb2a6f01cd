import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelThought } from "./model-port.ts";

type ThoughtPart = Extract<
  LanguageModelV4StreamPart,
  { type: "reasoning-start" } | { type: "reasoning-delta" } | { type: "reasoning-end" }
>;

export interface SignedThoughts {
  note(part: ThoughtPart): void;
  /** Those that are whole; each is taken once. */
  take(): readonly ModelThought[];
}

/** Claude refuses the results of tool calls that come without the thoughts before the calls, which it has signed. */
export function createSignedThoughts(): SignedThoughts {
  let whole: ModelThought[] = [];
  let text = "";
  let opaque: Record<string, unknown> = {};
  return {
    note(part) {
      if (part.type === "reasoning-start") {
        text = "";
        opaque = {};
      }
      if (part.type === "reasoning-delta") text += part.delta;
      Object.assign(opaque, part.providerMetadata);
      if (part.type === "reasoning-end" && Object.keys(opaque).length > 0) whole.push({ text, opaque });
    },
    take() {
      const taken = whole;
      whole = [];
      return taken;
    },
  };
}
