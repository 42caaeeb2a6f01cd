import { isRecord } from "swarmbase/extension";
import { invalid, unsupported } from "./errors.ts";

export type Body = Readonly<Record<string, unknown>>;

interface SentMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

interface ToolCall {
  readonly role: "call";
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

export interface ToolResult {
  readonly role: "result";
  readonly id: string;
  readonly output: string;
}

/** An entry of the conversation that a client sends, in either of the two forms of the API. */
export type Entry = SentMessage | ToolCall | ToolResult;

export interface SentConversation {
  /** Calls and results of tools are described in messages. Ends with a user's message. */
  readonly messages: readonly SentMessage[];
  /** The same without calls and results: what a stored conversation has. */
  readonly said: readonly SentMessage[];
  readonly lastUserText: string | null;
  /** The results after the last message: what a run that waits for them gets. */
  readonly results: readonly ToolResult[];
}

/** Neither absent nor null, which clients send for parameters that they do not use. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Reads messages of a chat, or items of a response. */
export function readEntries(list: unknown, param: string): readonly Entry[] {
  if (!Array.isArray(list)) throw invalid(param, "must be a list");
  return list.flatMap((item: unknown, index) => readEntry(isRecord(item) ? item : {}, `${param}[${index}]`));
}

const ROLES: ReadonlyMap<unknown, SentMessage["role"]> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
]);

function readEntry(item: Body, path: string): readonly Entry[] {
  const { type = "message", role, content, tool_calls: calls, tool_call_id: callId } = item;
  switch (type) {
    case "message": {
      const text = readText(content, `${path}.content`);
      if (role === "tool") return [readResult(callId, text, `${path}.tool_call_id`)];
      const known = ROLES.get(role);
      if (known === undefined) throw invalid(`${path}.role`, "must be system, developer, user, assistant or tool");
      return [{ role: known, content: text }, ...readCalls(calls, `${path}.tool_calls`)];
    }
    case "function_call":
      return [readCall(item["call_id"], item, path)];
    case "function_call_output":
      return [readResult(item["call_id"], readText(item["output"], `${path}.output`), `${path}.call_id`)];
    case "reasoning":
      return [];
    default:
      throw unsupported(path, `items of the type ${JSON.stringify(type)}`);
  }
}

function readCalls(calls: unknown, path: string): readonly ToolCall[] {
  if (!isSet(calls)) return [];
  if (!Array.isArray(calls)) throw invalid(path, "must be a list of tool calls");
  return calls.map((call: unknown, index) => {
    const { id, function: called } = isRecord(call) ? call : {};
    return readCall(id, isRecord(called) ? called : {}, `${path}[${index}]`);
  });
}

function readCall(id: unknown, { name, arguments: input }: Body, path: string): ToolCall {
  if (typeof id !== "string" || typeof name !== "string" || typeof input !== "string")
    throw invalid(path, "must be a call of a function");
  return { role: "call", id, name, input };
}

function readResult(id: unknown, output: string, path: string): ToolResult {
  if (typeof id !== "string") throw invalid(path, "must be the id of a call");
  return { role: "result", id, output };
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

/** The text of a message: a string, or parts of text. Other parts are rejected by name. */
function readText(content: unknown, path: string): string {
  if (typeof content === "string") return content;
  if (!isSet(content)) return "";
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

/** `param` is the parameter that has the conversation, for errors. */
export function toConversation(entries: readonly Entry[], param: string): SentConversation {
  const calls = new Map<string, ToolCall>();
  const messages: SentMessage[] = [];
  for (const entry of entries) {
    if (entry.role === "call") calls.set(entry.id, entry);
    else if (entry.role === "result") messages.push({ role: "user", content: describe(entry, calls.get(entry.id)) });
    else if (entry.content.trim() !== "") messages.push(entry);
  }
  // Instructions may follow the last message of the user; for an agent their place does not matter.
  const { system = [], said = [] } = Object.groupBy(messages, ({ role }) => (role === "system" ? "system" : "said"));
  if (said.at(-1)?.role !== "user")
    throw invalid(param, "must end with a message of the user or with the results of tools");
  return {
    messages: [...system, ...said],
    said: entries.filter((entry): entry is SentMessage => "content" in entry && entry.content.trim() !== ""),
    lastUserText: entries.flatMap((entry) => (entry.role === "user" ? [entry.content] : [])).at(-1) ?? null,
    results: readResults(entries),
  };
}

/** The results at the end of the conversation. */
export function readResults(entries: readonly Entry[]): readonly ToolResult[] {
  const trailing = entries.slice(entries.findLastIndex(({ role }) => role !== "result") + 1);
  return trailing.filter((entry) => entry.role === "result");
}

function describe({ output }: ToolResult, call: ToolCall | undefined): string {
  return call === undefined
    ? `Result of a tool: ${output}`
    : `Result of the tool ${call.name} with the arguments ${call.input}: ${output}`;
}
