import type { ModelCall } from "../model-port.ts";
import { isSimulated, MARK, type SwarmMessage } from "./read-messages.ts";

const ASKS_FOR_INTRODUCTION = /\b(?:who are you|introduce yourself|what (?:can|could) you do)\b/i;

export function asksForIntroduction(question: SwarmMessage | undefined): question is SwarmMessage {
  return question !== undefined && ASKS_FOR_INTRODUCTION.test(question.text);
}

export interface Introduction {
  readonly question: SwarmMessage;
  /** The messages after the question. */
  readonly later: readonly SwarmMessage[];
}

/** Answers the usual first question to new agents, so that a first conversation without a model reads like one. */
export function introduce({ agent, tools }: ModelCall, { question, later }: Introduction): string {
  const before = later.findLast((message) => isSimulated(message) && !message.isOwn)?.author ?? null;
  const greeting =
    before === null
      ? `Hello${question.author === null ? "" : ` ${question.author}`}! I am ${agent.name}, and I answer first.`
      : `Thank you, ${before}. I am ${agent.name}; I read what was said before me and add what I miss in it.`;
  return [MARK, greeting, describeTools(tools), before === null ? NO_MODEL : "What shall we look at first?"].join(" ");
}

const NO_MODEL =
  "No model is configured yet, so these words come from a script: with a provider key I think for myself.";

function describeTools(tools: ModelCall["tools"]): string {
  if (tools.length === 0) return "I have no tools.";
  const names = tools.map(({ name }) => name).join(", ");
  return `I can use ${names}: I call a tool when your words match its description.`;
}
