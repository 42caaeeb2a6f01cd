import { AGENT_SETTINGS, FIELD_BOUNDS, FRAMEWORKS, type NumberSettingRow } from "@swarmbase/sdk";
import { z } from "zod";
import type { RunRequest } from "../agents/index.ts";

type Conversation = NonNullable<RunRequest["conversation"]>;

const MAX_MESSAGES = 500;
/** The column has the same bound. */
const MAX_CONTENT_CHARACTERS = 100_000;
/** The maximum of the column. */
const MAX_VERSION = 2_147_483_647;
const MAX_STOP_CHARACTERS = 1_000;
const MAX_TOOL_RESULTS = 128;
const MAX_ARGUMENT_CHARACTERS = 32_000;

const { temperature, top_p, max_tokens, presence_penalty, frequency_penalty, stop } = AGENT_SETTINGS;
const number = ({ kind, min, max }: NumberSettingRow) => {
  const inRange = z
    .number()
    .min(min)
    .max(max ?? Number.MAX_SAFE_INTEGER);
  return (kind === "integer" ? inRange.int() : inRange).optional();
};

/** The members of a call that brings its own conversation. `text` makes a schema for a text of at most so many characters. */
export function conversationMembers(text: (max: number) => z.ZodType<string>) {
  const content = text(MAX_CONTENT_CHARACTERS);
  const toolResult = z.object({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be letters, digits, _ and -"),
    /** The arguments, as the model wrote them. */
    input: text(MAX_ARGUMENT_CHARACTERS),
    output: content,
    is_error: z.boolean().nullish(),
  });
  const message = z.object({
    role: z.enum(["system", "user", "assistant"]),
    content,
    /** Calls of tools of the caller that came before the message, with their results. */
    tool_results: z.array(toolResult).min(1).max(MAX_TOOL_RESULTS).nullish(),
  });
  return {
    messages: z
      .array(message)
      .min(1)
      .max(MAX_MESSAGES)
      .refine((messages) => messages.at(-1)?.role === "user", "must end with a message of the user")
      .superRefine((messages, context) => {
        for (const [index, { role, content: said, tool_results: results }] of messages.entries()) {
          const mayBeEmpty = isGiven(results) && index === messages.length - 1;
          if (said.trim() === "" && !mayBeEmpty)
            context.addIssue({ code: "custom", path: [index, "content"], message: "must not be empty" });
          if (role === "system" && isGiven(results))
            context.addIssue({
              code: "custom",
              path: [index, "tool_results"],
              message: "need a user or the assistant",
            });
        }
      }),
    store: z.boolean().nullish(),
    /** A number of `agent_versions`. */
    agent_version: z.number().int().min(1).max(MAX_VERSION).nullish(),
    /** These take the place of the agent's, for the call alone. The service checks the model when the run starts. */
    framework: z.enum(FRAMEWORKS).nullish(),
    model: text(FIELD_BOUNDS["agents.model"].max).nullish(),
    system_prompt: text(FIELD_BOUNDS["agents.system_prompt"].max).nullish(),
    /** Of the call alone; the rows of the agent's settings. */
    settings: z
      .object({
        temperature: number(temperature),
        top_p: number(top_p),
        max_tokens: number(max_tokens),
        presence_penalty: number(presence_penalty),
        frequency_penalty: number(frequency_penalty),
        stop: z.array(text(MAX_STOP_CHARACTERS)).max(stop.maxItems).optional(),
        reasoning_effort: text(20).optional(),
      })
      .nullish(),
  };
}

type ConversationBody = z.infer<z.ZodObject<ReturnType<typeof conversationMembers>>>;

/** The message that the agent answers, and the rest of the conversation. System messages are instructions. */
export function readConversation(body: ConversationBody): Conversation & { message: string } {
  const { messages, store, settings, agent_version: agentVersion } = body;
  const said = messages.filter(({ role }) => role !== "system");
  const instructions = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  const last = said.at(-1);
  const toolResults = last?.tool_results ?? [];
  const isEmpty = last === undefined || last.content.trim() === "";
  return {
    message: isEmpty ? `(Results of tools: ${toolResults.map(({ name }) => name).join(", ")})` : last.content,
    history: said.slice(0, -1).map(({ role, content, tool_results: results }) => ({
      role: role === "assistant" ? role : "user",
      content,
      ...(isGiven(results) && { tool_results: results }),
    })),
    toolResults,
    areResultsAlone: isEmpty,
    isStored: store === true,
    instructions: instructions.length === 0 ? null : instructions.join("\n\n"),
    settings: settings ?? {},
    agentVersion: agentVersion ?? null,
    overrides: readOverrides(body),
  };
}

/** A model belongs to its provider, so another provider comes with its default. */
function readOverrides({ framework, model, system_prompt: prompt }: ConversationBody): Conversation["overrides"] {
  return {
    ...(isGiven(framework) && { framework, model: null }),
    ...(isGiven(model) && { model: model === "" ? null : model }),
    ...(isGiven(prompt) && { system_prompt: prompt }),
  };
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
