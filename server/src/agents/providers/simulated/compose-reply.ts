import { hash } from "node:crypto";
import { responseSchemaOf } from "../../schemas/response-schema.ts";
import type { ModelCall, ModelToolCall } from "../model-port.ts";
import { chooseTool } from "./choose-tool.ts";
import { fillSchema } from "./fill-schema.ts";
import { type Failure, readDirectives } from "./read-directives.ts";
import { isSimulated, MARK, readMessages, type SwarmMessage } from "./read-messages.ts";

const ASKS_FOR_INTRODUCTION = /\b(?:who are you|introduce yourself|what (?:can|could) you do)\b/i;

const NO_MODEL =
  "No model is configured yet, so these words come from a script: with a provider key I think for myself.";

interface Reply {
  readonly sleepMs: number;
  readonly failure: Failure | null;
  readonly pieces: readonly string[];
  readonly calls: readonly ModelToolCall[];
  readonly finish: "stop" | "length" | "tool_calls";
}

const QUOTED_CHARS = 200;
const QUOTED_RESULTS = 3;

/** Deterministic: the reply depends only on the agent, the prompt and the conversation. */
export function composeReply(call: ModelCall, limits: { maxTokens: number; stop: readonly string[] }): Reply {
  const swarmMessages = readMessages(call);
  // Directives come from users and from agents that are not simulated.
  const questionIndex = swarmMessages.findLastIndex((one) => !one.isOwn && !isSimulated(one));
  const seed = hash("sha256", JSON.stringify([call.agent.id, call.system, call.messages]), "hex");
  const { steps, failure, sleepMs } = readDirectives(swarmMessages[questionIndex]?.text ?? "", call.agent.name);
  const head = { failure, sleepMs };
  const toCall = (tool: string, inputText: string, position: number): ModelToolCall => ({
    id: `call_${seed.slice(0, 16)}_${position}`,
    name: tool,
    inputText,
  });

  if (typeof call.toolChoice !== "string") {
    const { tool: name } = call.toolChoice;
    const schema = call.tools.find((tool) => tool.name === name)?.inputSchema ?? {};
    const replyCount = swarmMessages.slice(questionIndex + 1).filter(isSimulated).length;
    const inputText = JSON.stringify(fillSchema(schema, replyCount));
    return { ...head, pieces: [], calls: [toCall(name, inputText, 0)], finish: "tool_calls" };
  }

  const offered = new Set(call.tools.map(({ name }) => name));
  const question = swarmMessages[questionIndex];
  const isIntroduction = steps.length === 0 && asksForIntroduction(question);
  const isRequired = call.toolChoice === "required";
  const chosen =
    steps.length > 0 || (isIntroduction && !isRequired)
      ? null
      : chooseTool(call.tools, question?.text ?? "", isRequired);
  const possible =
    chosen === null
      ? steps.map((step) => step.filter(({ tool }) => offered.has(tool))).filter((step) => step.length > 0)
      : [[chosen]];
  const next = call.toolChoice === "none" ? undefined : possible[countSteps(call, question?.index ?? -1)];
  if (next !== undefined) {
    const calls = next.map(({ tool, inputText }, position) => toCall(tool, inputText, position));
    return { ...head, pieces: [], calls, finish: "tool_calls" };
  }

  const schema = responseSchemaOf(call.settings);
  if (schema !== null) {
    const json = JSON.stringify(fillSchema(schema, 0));
    return { ...head, pieces: json.match(/.{1,12}/gs) ?? [json], calls: [], finish: "stop" };
  }

  const missing = steps.flat().flatMap(({ tool }) => (offered.has(tool) ? [] : [tool]));
  const answer = isIntroduction
    ? introduce(call, { question, later: swarmMessages.slice(questionIndex + 1) })
    : restate(call, { messages: swarmMessages, questionIndex, seed, missing });
  const text = cutAtStop(answer, limits.stop);
  const pieces = text.match(/\s*\S{1,12}/g) ?? [text];
  const kept = pieces.slice(0, Math.max(1, limits.maxTokens));
  return { ...head, pieces: kept, calls: [], finish: kept.length < pieces.length ? "length" : "stop" };
}

interface Restated {
  readonly messages: readonly SwarmMessage[];
  readonly questionIndex: number;
  readonly seed: string;
  /** Names of tools that directives name and the agent does not have. */
  readonly missing: readonly string[];
}

/** Answers with what was asked and what the tools returned, and says at the end what the model would have got. */
function restate(call: ModelCall, { messages, questionIndex, seed, missing }: Restated): string {
  const question = messages[questionIndex];
  const speaker = messages.slice(questionIndex + 1).findLast(({ isOwn }) => !isOwn)?.author ?? null;
  // The context also has results of earlier runs.
  const results = call.messages.slice(question?.index ?? 0).filter((message) => message.role === "tool");
  const images = call.messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : []));
  const counts = [
    count(messages.length, "message"),
    count(call.tools.length, "tool"),
    ...(results.length > 0 ? [count(results.length, "tool result")] : []),
    ...(images.length > 0 ? [count(images.length, "image")] : []),
  ];
  return [
    MARK,
    question === undefined ? "Nobody has said anything." : quote(question),
    ...(speaker === null ? [] : [`${speaker} has answered before me.`]),
    ...(results.length === 0
      ? [`No model is configured, so ${call.agent.name} can only repeat it.`]
      : results.slice(-QUOTED_RESULTS).map(({ toolName, output }) => `${toolName} returned: ${shorten(output)}`)),
    ...(missing.length > 0 ? [`There is no tool ${shorten([...new Set(missing)].join(", "))}.`] : []),
    `(${counts.join(", ")}; ${seed.slice(0, 8)})`,
  ].join(" ");
}

function quote({ author, text }: SwarmMessage): string {
  const words = `${author ?? "You"} ${text.endsWith("?") ? "asked" : "wrote"}: "${shorten(text)}"`;
  return /[.!?]$/.test(text) ? words : `${words}.`;
}

function shorten(text: string): string {
  return Array.from(text.replace(/\s+/g, " ").slice(0, 2 * QUOTED_CHARS))
    .slice(0, QUOTED_CHARS)
    .join("");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Does not cut the mark. */
function cutAtStop(text: string, stop: readonly string[]): string {
  const found = stop.map((each) => text.indexOf(each, MARK.length)).filter((index) => index >= 0);
  return found.length === 0 ? text : text.slice(0, Math.min(...found));
}

function countSteps({ messages }: ModelCall, index: number): number {
  const later = messages.slice(index + 1);
  return later.filter((message) => message.role === "assistant" && (message.toolCalls?.length ?? 0) > 0).length;
}

function asksForIntroduction(question: SwarmMessage | undefined): question is SwarmMessage {
  return question !== undefined && ASKS_FOR_INTRODUCTION.test(question.text);
}

interface Introduction {
  readonly question: SwarmMessage;
  /** The messages after the question. */
  readonly later: readonly SwarmMessage[];
}

/** Answers the usual first question to new agents, so that a first conversation without a model reads like one. */
function introduce({ agent, tools }: ModelCall, { question, later }: Introduction): string {
  const before = later.findLast((message) => isSimulated(message) && !message.isOwn)?.author ?? null;
  const greeting =
    before === null
      ? `Hello${question.author === null ? "" : ` ${question.author}`}! I am ${agent.name}, and I answer first.`
      : `Thank you, ${before}. I am ${agent.name}; I read what was said before me and add what I miss in it.`;
  return [MARK, greeting, describeTools(tools), before === null ? NO_MODEL : "What shall we look at first?"].join(" ");
}

function describeTools(tools: ModelCall["tools"]): string {
  if (tools.length === 0) return "I have no tools.";
  const names = tools.map(({ name }) => name).join(", ");
  return `I can use ${names}: I call a tool when your words match its description.`;
}
