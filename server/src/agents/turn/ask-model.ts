import { ModelError } from "../../errors/index.ts";
import { createEchoStripper } from "../context/echo-stripper.ts";
import { type AnswerReader, callModel, type RunCall } from "../model/call-model.ts";
import { recordTurnPrompt } from "../model/record-prompt.ts";
import type { ModelFinish, ModelMessage, ModelToolCall } from "../providers/model-port.ts";
import { grantOf, type LiveRun } from "../run/live-run.ts";
import type { Toolset } from "./toolset.ts";
import { callerOf, emitText, type Turn, warnOnce } from "./turn.ts";
import { shortenContext } from "./turn-context.ts";

export interface ModelAnswer {
  readonly calls: readonly ModelToolCall[];
  readonly text: string;
  readonly finish: ModelFinish;
  /** The budget lowered the output limit of the agent's settings. */
  readonly isCutByBudget: boolean;
}

/** Calls the model of a turn and streams its text. Shortens the context and calls again when the model rejects it as too long. */
export async function askModel(run: LiveRun, turn: Turn, offer: Toolset["offer"]): Promise<ModelAnswer> {
  const lengthBefore = turn.text.length;
  for (;;) {
    try {
      return await askOnce(run, turn, offer);
    } catch (error) {
      if (error instanceof ModelError) turn.attempts = Math.max(turn.attempts, error.attempts);
      const isTooLong = error instanceof ModelError && error.code === "CONTEXT_LENGTH_EXCEEDED";
      // The newest message always stays: it is the one to be answered.
      if (!isTooLong || turn.text.length > lengthBefore || turn.contextCount <= 1) throw error;
      shortenContext(run, turn, offer.tools);
    }
  }
}

async function askOnce(run: LiveRun, turn: Turn, offer: Toolset["offer"]): Promise<ModelAnswer> {
  const calls: ModelToolCall[] = [];
  const reader = createTurnReader(run, turn, calls);
  let isCutByBudget = false;
  const finish = await callModel(run, {
    caller: callerOf(turn),
    request: requestOf(run, turn, offer),
    answerTokens: null,
    reader,
    describePrompt(sent, isCut) {
      isCutByBudget = isCut;
      const message = `lowered to ${sent.maxOutputTokens}: the budget does not allow more`;
      if (isCut) warnOnce(turn, { setting: "max_tokens", message });
      // Until the turn ends, even if the agent loses the tools: the next prompts repeat the results.
      turn.isPrivate ||= hasPrivateResults(run, turn);
      return turn.isPrivate ? undefined : recordTurnPrompt(turn, sent);
    },
  });
  return { calls, text: reader.text, finish, isCutByBudget };
}

/** The results of tools that act for the starter, and of sub-tasks, are the starter's alone, and the owner of the agent reads its prompts. */
function hasPrivateResults({ context }: LiveRun, { agent }: Turn): boolean {
  if (agent.user_id === context.run.user_id) return false;
  return (
    agent.tools.some((tool) => tool.acts_for_starter || tool.kind === "swarm") ||
    agent.past_calls?.made.some((call) => call.is_private) === true
  );
}

/** The next call of the turn. */
export function requestOf({ images }: LiveRun, turn: Turn, offer: Toolset["offer"]): RunCall["request"] {
  const { agent, system, messages, signal } = turn;
  const { framework, model, settings } = agent;
  const toolChoice = turn.mustAnswer || turn.isRepairing ? "none" : offer.toolChoice;
  // The state of a turn is stored, and images are stored already.
  const shown = images.length === 0 ? messages : messages.map((message) => showImages(message, images));
  return { framework, model, system, messages: shown, tools: offer.tools, toolChoice, settings, signal };
}

function showImages(message: ModelMessage, images: LiveRun["images"]): ModelMessage {
  return message.role === "user" && message.showsImages === true ? { ...message, images } : message;
}

/** Emits the text as it arrives, and adds the tool calls to `calls`. */
function createTurnReader(run: LiveRun, turn: Turn, calls: ModelToolCall[]): AnswerReader {
  const textBefore = turn.text;
  const stripper = createEchoStripper(turn.agent.name);
  /** Separates the text of this call from earlier text. White space alone does not begin a paragraph. */
  const emit = (delta: string): void => {
    if (turn.text !== textBefore) return emitText(run, turn, delta);
    const isBreak = textBefore !== "" && delta.trim() !== "";
    emitText(run, turn, isBreak ? `\n\n${delta.trimStart()}` : delta.trimStart());
  };
  return {
    get text() {
      return turn.text.slice(textBefore.length);
    },
    read(event) {
      switch (event.type) {
        case "start":
          turn.framework = event.framework;
          turn.model = event.model;
          turn.attempts = Math.max(turn.attempts, event.attempt);
          break;
        case "text":
          emit(stripper.push(event.delta));
          break;
        case "reasoning":
          // Reasoning quotes the prompt, which is the owner's alone.
          if (turn.isWithheld !== true && grantOf(run.context, turn.agent.id) === null)
            run.writer.delta("reasoning.delta", turn.source, event.delta);
          break;
        case "tool_call":
          calls.push(event.call);
          break;
        case "warning":
          warnOnce(turn, event.warning);
          break;
        case "finish":
          break;
      }
    },
    end: () => emit(stripper.end()),
  };
}
