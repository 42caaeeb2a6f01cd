import { hash } from "node:crypto";
import { isRecord } from "swarmbase/extension";
import { invalid, unsupported } from "./errors.ts";

const DATA_URL = /^data:(image\/(?:png|jpeg|gif|webp));base64,/i;

const NAME_CHARACTERS = 8;

export type Body = Readonly<Record<string, unknown>>;

interface SentMessage {
  readonly role: "system" | "user" | "assistant";
  /** Names the images where they were. */
  readonly content: string;
  readonly images?: readonly SentImage[];
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

type PlainMessage = Pick<SentMessage, "role" | "content">;

interface NamedResult {
  readonly name: string;
  readonly input: string;
  readonly output: string;
}

interface AnsweredMessage extends PlainMessage {
  /** Of the tools that were called before the message. */
  readonly tool_results?: NamedResult[];
}

export interface SentConversation {
  /** Ends with a user's message. */
  readonly messages: AnsweredMessage[];
  /** The same without calls and results: what a stored conversation has. */
  readonly said: readonly PlainMessage[];
  /** Those of all messages, each once. */
  readonly images: readonly SentImage[];
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

const MAX_NAME_CHARACTERS = 64;
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
      const images: SentImage[] = [];
      const text = readText(content, `${path}.content`, role === "user" ? images : null);
      if (role === "tool") return [readResult(callId, text, `${path}.tool_call_id`)];
      const known = ROLES.get(role);
      if (known === undefined) throw invalid(`${path}.role`, "must be system, developer, user, assistant or tool");
      const message = { role: known, content: text, ...(images.length > 0 && { images }) };
      return [message, ...readCalls(calls, `${path}.tool_calls`)];
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

/** The text of a message: a string, or parts of text. Images of a user are added to `images`. Other parts are rejected by name. */
function readText(content: unknown, path: string, images: SentImage[] | null = null): string {
  if (typeof content === "string") return content;
  if (!isSet(content)) return "";
  if (!Array.isArray(content)) throw invalid(path, "must be a string or a list of parts");
  return content
    .map((part: unknown, index) => {
      const members = isRecord(part) ? part : {};
      const { type, text, refusal } = members;
      if (images !== null && isImagePart(members)) {
        const image = readImage(members, `${path}[${index}]`);
        images.push(image);
        return `[${image.name}]`;
      }
      if (TEXT_PARTS.has(type) && typeof text === "string") return text;
      if (type === "refusal" && typeof refusal === "string") return refusal;
      throw unsupported(
        `${path}[${index}]`,
        `agents read text and images of the user, and this part is ${JSON.stringify(type ?? null)}`,
      );
    })
    .join("\n\n");
}

/** `param` is the parameter that has the conversation, for errors. */
export function toConversation(entries: readonly Entry[], param: string): SentConversation {
  const calls = new Map<string, ToolCall>();
  const messages: AnsweredMessage[] = [];
  let answered: NamedResult[] = [];
  const add = ({ role, content }: PlainMessage): void => {
    const hasResults = role !== "system" && answered.length > 0;
    messages.push({ role, content, ...(hasResults && { tool_results: answered }) });
    if (hasResults) answered = [];
  };
  const images = new Map<string, SentImage>();
  for (const entry of entries) {
    if (entry.role === "call") calls.set(entry.id, entry);
    else if (entry.role === "result") answered.push(nameResult(entry, calls.get(entry.id)));
    else if (entry.content.trim() !== "") add(entry);
    if ("images" in entry) for (const image of entry.images ?? []) images.set(image.name, image);
  }
  if (answered.length > 0) add({ role: "user", content: "" });
  // Instructions may follow the last message of the user; for an agent their place does not matter.
  const { system = [], said = [] } = Object.groupBy(messages, ({ role }) => (role === "system" ? "system" : "said"));
  if (said.at(-1)?.role !== "user")
    throw invalid(param, "must end with a message of the user or with the results of tools");
  return {
    messages: [...system, ...said],
    said: entries.flatMap((entry) =>
      "content" in entry && entry.content.trim() !== "" ? [{ role: entry.role, content: entry.content }] : [],
    ),
    images: [...images.values()],
    lastUserText: entries.flatMap((entry) => (entry.role === "user" ? [entry.content] : [])).at(-1) ?? null,
    results: readResults(entries),
  };
}

/** The results at the end of the conversation. */
export function readResults(entries: readonly Entry[]): readonly ToolResult[] {
  const trailing = entries.slice(entries.findLastIndex(({ role }) => role !== "result") + 1);
  return trailing.filter((entry) => entry.role === "result");
}

/** Names of functions can have other characters at other services. */
function nameResult({ output }: ToolResult, call: ToolCall | undefined): NamedResult {
  const name = call?.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME_CHARACTERS) || "unknown";
  return { name, input: call?.input ?? "{}", output };
}

/** An image as `agent-respond` takes it, which checks its bytes and their number. */
interface SentImage {
  readonly name: string;
  readonly media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly data: string;
}

type Part = Readonly<Record<string, unknown>>;

/** Whether a part of a message is an image, in either form of the API. */
function isImagePart({ type }: Part): boolean {
  return type === "image_url" || type === "input_image";
}

/** The service never fetches the URL that a client names. */
function readImage({ image_url: sent }: Part, path: string): SentImage {
  const url = isRecord(sent) ? sent["url"] : sent;
  if (typeof url !== "string") throw unsupported(path, "an image must be inline data, and not the id of a file");
  const [head, type] = DATA_URL.exec(url) ?? [];
  if (head === undefined || type === undefined) {
    if (/^https?:/i.test(url))
      throw unsupported(path, "images are not fetched; send a data: URL with the image itself");
    throw invalid(path, "must be a data: URL of a PNG, JPEG, GIF or WebP image in Base64");
  }
  const data = url.slice(head.length);
  // The same image has the same name in later requests, so that a conversation can be recognized.
  const name = `image ${hash("sha256", data).slice(0, NAME_CHARACTERS)}`;
  return { name, media_type: type.toLowerCase() as SentImage["media_type"], data };
}
