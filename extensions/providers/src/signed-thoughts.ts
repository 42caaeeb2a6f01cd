import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelThought } from "swarmbase/extension";

type ThoughtPart = Extract<
  LanguageModelV4StreamPart,
  { type: "reasoning-start" } | { type: "reasoning-delta" } | { type: "reasoning-end" }
>;

export interface SignedThoughts {
  note(part: ThoughtPart): void;
  /** Removes and returns the complete thoughts. */
  take(): readonly ModelThought[];
}

/**
 * Claude rejects the results of tool calls without the signed thoughts that preceded the calls. Models of OpenAI's Responses API would
 * reason anew: the vendor keeps nothing of a response that it does not store.
 */
export function createSignedThoughts(): SignedThoughts {
  let complete: ModelThought[] = [];
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
      if (part.type === "reasoning-end" && Object.keys(opaque).length > 0) complete.push({ text, opaque });
    },
    take() {
      const taken = complete;
      complete = [];
      return taken;
    },
  };
}
