import { type ExtensionCore, isRecord } from "swarmbase/extension";
import { type Body, type Entry, isSet, type SentConversation, toConversation } from "./conversation.ts";
import { invalid, unsupported } from "./errors.ts";
import { type LoadedTarget, loadTarget, parseModel } from "./target.ts";
import { readTools, type SentTools } from "./read-tools.ts";

/** A request of either form of the API. */
export interface Ask extends SentConversation, SentTools {
  readonly target: LoadedTarget;
  /** The model as the client named it. */
  readonly model: string;
  readonly isStreamed: boolean;
  readonly isStored: boolean;
  readonly responseSchema: Body | null;
  /** The swarm in which the agent answers; null means that the request has the conversation. */
  readonly swarmId: string | null;
  /** Settings of an agent, for this call. */
  readonly settings: Body;
  readonly metadata: Body | null;
}

const always = (): boolean => true;

/** Parameters without which an answer would mean something else: when they are rejected, and why. */
const UNSUPPORTED: readonly (readonly [name: string, isUsed: (value: unknown) => boolean, reason: string])[] = [
  ["n", (value) => value !== 1, "an agent gives one answer"],
  ["logprobs", (value) => value !== false, "providers differ in it"],
  ["top_logprobs", (value) => value !== 0, "providers differ in it"],
  ["logit_bias", (value) => !isRecord(value) || Object.keys(value).length > 0, "providers differ in it"],
  ["modalities", (value) => !Array.isArray(value) || value.some((each) => each !== "text"), "agents answer with text"],
  ["audio", always, "agents answer with text"],
  ["functions", always, "give the agent a tool"],
  ["function_call", always, "give the agent a tool"],
  ["web_search_options", always, "give the agent a tool"],
  ["conversation", always, "use it with responses"],
  ["prompt", always, "send input instead"],
];

export function readBody(body: unknown): Body {
  if (!isRecord(body)) throw invalid("body", "must be a JSON object");
  return body;
}

/** Reads the parameters of both forms; `param` is the one that has the conversation. The service checks the settings. */
export async function readAsk(
  core: ExtensionCore,
  body: Body,
  entries: readonly Entry[],
  param: "messages" | "input",
): Promise<Ask> {
  for (const [name, isUsed, reason] of UNSUPPORTED)
    if (isSet(body[name]) && isUsed(body[name])) throw unsupported(name, reason);
  const { model, metadata, text, reasoning, stop, response_format: format } = body;
  const settings = {
    temperature: body["temperature"],
    top_p: body["top_p"],
    max_tokens: body["max_completion_tokens"] ?? body["max_tokens"] ?? body["max_output_tokens"],
    presence_penalty: body["presence_penalty"],
    frequency_penalty: body["frequency_penalty"],
    stop: typeof stop === "string" ? [stop] : stop,
    reasoning_effort: body["reasoning_effort"] ?? (isRecord(reasoning) ? reasoning["effort"] : null),
  };
  const ask = {
    model: String(model),
    isStreamed: readFlag("stream", body["stream"]),
    isStored: readFlag("store", body["store"]),
    metadata: isRecord(metadata) ? metadata : null,
    ...toConversation(entries, param),
    ...readTools(body),
    swarmId: null,
    responseSchema: isRecord(text) ? readSchema(text["format"], "text.format") : readSchema(format, "response_format"),
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => isSet(value))),
  };
  const target = await loadTarget(core, parseModel(model));
  // A private conversation is stored, and so are those of swarms.
  return { ...ask, target, isStored: ask.isStored || target.isForeign || target.kind === "swarm" };
}

export function readFlag(name: string, value: unknown): boolean {
  if (isSet(value) && typeof value !== "boolean") throw invalid(name, "must be true or false");
  return value === true;
}

/** The schema of `response_format`, or of `text.format`, which has its members at the top. */
function readSchema(format: unknown, param: string): Body | null {
  if (!isSet(format)) return null;
  const { type, json_schema: inner = format } = isRecord(format) ? format : {};
  if (type === "text") return null;
  if (type === "json_object") return { type: "object" };
  if (type !== "json_schema") throw unsupported(param, "type must be text, json_object or json_schema");
  const schema = isRecord(inner) ? inner["schema"] : null;
  if (!isRecord(schema)) throw invalid(param, "must have a JSON Schema");
  return schema;
}
