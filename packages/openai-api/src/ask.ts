import { isRecord } from "swarmbase/extension";
import { invalid, unsupported } from "./errors.ts";
import type { SentConversation } from "./conversation.ts";
import { parseModel, type Target } from "./target.ts";

export type Body = Readonly<Record<string, unknown>>;

/** A request of either form of the API. */
export interface Ask extends SentConversation {
  readonly target: Target;
  /** The model as the client named it. */
  readonly model: string;
  readonly isStreamed: boolean;
  readonly isStored: boolean;
  readonly responseSchema: Body | null;
  /** Settings of an agent, for this call. */
  readonly settings: Body;
  readonly metadata: Body | null;
  /** Functions of the caller. A call of one ends the answer, and the next request has the result. */
  readonly clientTools: readonly ClientTool[];
}

interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema?: Record<string, unknown>;
}

export function readBody(body: unknown): Body {
  if (!isRecord(body)) throw invalid("body", "must be a JSON object");
  return body;
}

/** What both forms of the API have in common. */
export function readCommon(body: Body): Pick<Ask, "target" | "model" | "isStreamed" | "isStored" | "metadata"> {
  const { model, stream, store, metadata, top_logprobs: topLogprobs, tool_choice: choice } = body;
  if (isSet(topLogprobs) && topLogprobs !== 0) throw unsupported("top_logprobs", "providers differ in it");
  if (isSet(choice) && choice !== "auto" && choice !== "none")
    throw unsupported("tool_choice", "the agent decides which tools it calls");
  return {
    target: parseModel(model),
    model: String(model),
    isStreamed: readFlag("stream", stream),
    isStored: readFlag("store", store),
    metadata: isRecord(metadata) ? metadata : null,
  };
}

/** `inner` is the member that has the function; null: the tool itself has its members. */
export function readTools({ tools, tool_choice: choice }: Body, inner: "function" | null): readonly ClientTool[] {
  if (!isSet(tools) || choice === "none") return [];
  if (!Array.isArray(tools)) throw invalid("tools", "must be a list of tools");
  return tools.map((tool: unknown, index) => {
    const { type, ...members } = isRecord(tool) ? tool : {};
    if (type !== "function") throw unsupported(`tools[${index}]`, "only functions; give other tools to the agent");
    const described = inner === null ? members : members[inner];
    const { name, description, parameters } = isRecord(described) ? described : {};
    return {
      name: typeof name === "string" ? name : "",
      description: typeof description === "string" ? description : "",
      ...(isRecord(parameters) && { input_schema: { type: "object", ...parameters } }),
    };
  });
}

export function readFlag(name: string, value: unknown): boolean {
  if (isSet(value) && typeof value !== "boolean") throw invalid(name, "must be true or false");
  return value === true;
}

/** Neither absent nor null, which clients send for parameters that they do not use. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The settings that have a value. The service checks them. */
export function readSettings(values: Body): Body {
  const { stop, ...others } = values;
  const list = typeof stop === "string" ? [stop] : stop;
  return Object.fromEntries(Object.entries({ ...others, stop: list }).filter(([, value]) => isSet(value)));
}

/** The schema of `response_format`, or of `text.format`, which has its members at the top. */
export function readSchema(format: unknown, param: string): Body | null {
  if (!isSet(format)) return null;
  const { type, json_schema: inner = format } = isRecord(format) ? format : {};
  if (type === "text") return null;
  if (type === "json_object") return { type: "object" };
  if (type !== "json_schema") throw unsupported(param, "type must be text, json_object or json_schema");
  const schema = isRecord(inner) ? inner["schema"] : null;
  if (!isRecord(schema)) throw invalid(param, "must have a JSON Schema");
  return schema;
}
