import { isRecord } from "swarmbase/extension";
import { invalid, unsupported } from "./errors.ts";

/** An entry of the conversation that a client sends, in either of the two forms of the API. */
export type Entry =
  | { readonly role: "system" | "user" | "assistant"; readonly content: string }
  | { readonly role: "call"; readonly id: string; readonly name: string; readonly input: string }
  | { readonly role: "result"; readonly id: string; readonly output: string };

export interface ToolResult {
  readonly id: string;
  readonly output: string;
}

interface SentMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface SentConversation {
  /** Calls and results of tools are described in messages. Ends with a user's message. */
  readonly messages: readonly SentMessage[];
  readonly lastUserText: string | null;
  /** The results after the last message: what a run that waits for them gets. */
  readonly results: readonly ToolResult[];
}

/** `param` is the parameter that has the conversation, for errors. */
export function toConversation(entries: readonly Entry[], param: string): SentConversation {
  const calls = new Map<string, { readonly name: string; readonly input: string }>();
  const messages: SentMessage[] = [];
  for (const entry of entries) {
    if (entry.role === "call") calls.set(entry.id, entry);
    else if (entry.role === "result") messages.push({ role: "user", content: describe(entry, calls.get(entry.id)) });
    else if (entry.content.trim() !== "") messages.push({ role: entry.role, content: entry.content });
  }
  if (messages.findLast(({ role }) => role !== "system")?.role !== "user")
    throw invalid(param, "must end with a message of the user or with the results of tools");
  return {
    messages: withUserLast(messages),
    lastUserText: messagesOf(entries).findLast(({ role }) => role === "user")?.content ?? null,
    results: readResults(entries),
  };
}

/** The results at the end of the conversation. */
export function readResults(entries: readonly Entry[]): readonly ToolResult[] {
  const trailing = entries.slice(entries.findLastIndex(({ role }) => role !== "result") + 1);
  return trailing.filter((entry) => entry.role === "result");
}

function messagesOf(entries: readonly Entry[]): readonly SentMessage[] {
  return entries.filter((entry) => entry.role !== "call" && entry.role !== "result");
}

/** Instructions may follow the last message of the user; for an agent their place does not matter. */
function withUserLast(messages: readonly SentMessage[]): readonly SentMessage[] {
  const isSystem = ({ role }: SentMessage): boolean => role === "system";
  return [...messages.filter(isSystem), ...messages.filter((message) => !isSystem(message))];
}

function describe({ output }: ToolResult, call: { readonly name: string; readonly input: string } | undefined): string {
  return call === undefined
    ? `Result of a tool: ${output}`
    : `Result of the tool ${call.name} with the arguments ${call.input}: ${output}`;
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

/** The text of a message: a string, or parts of text. Other parts are rejected by name. */
export function readText(content: unknown, path: string): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) throw invalid(path, "must be a string or a list of parts");
  return content
    .map((part: unknown, index) => {
      const { type, text, refusal } = isRecord(part) ? part : {};
      if (TEXT_PARTS.has(type) && typeof text === "string") return text;
      if (type === "refusal" && typeof refusal === "string") return refusal;
      throw unsupported(`${path}[${index}]`, `agents read text, and this part is ${JSON.stringify(type ?? null)}`);
    })
    .join("\n\n");
}
