import { isRecord } from "swarmbase/extension";
import { type Body, isSet } from "./conversation.ts";
import { invalid, unsupported } from "./errors.ts";

interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema?: Record<string, unknown>;
}

export interface SentTools {
  /** Functions of the caller. A call of one ends the answer, and the next request has the result. */
  readonly clientTools: readonly ClientTool[];
  readonly toolChoice: "auto" | "required" | { readonly name: string };
}

const PARAM = "tool_choice";

/** Reads `tools` and `tool_choice`, which is for these alone: the agent decides about its own tools. */
export function readTools({ tools: sent, tool_choice: choice }: Body): SentTools {
  const tools = readList(sent);
  if (!isSet(choice) || choice === "auto") return { clientTools: tools, toolChoice: "auto" };
  if (choice === "none") return { clientTools: [], toolChoice: "auto" };
  if (choice === "required") return requireCall(tools);
  const { type, ...members } = isRecord(choice) ? choice : {};
  if (type === "function") {
    const name = nameOf(choice);
    if (!tools.some((tool) => tool.name === name)) throw invalid(PARAM, "names a function that is not one of tools");
    return { clientTools: tools, toolChoice: { name } };
  }
  if (type !== "allowed_tools")
    throw unsupported(PARAM, "it must be auto, none, required, a function or allowed_tools");
  const { mode, tools: allowed } = isRecord(members["allowed_tools"]) ? members["allowed_tools"] : members;
  if (mode !== "auto" && mode !== "required") throw invalid(`${PARAM}.mode`, "must be auto or required");
  if (!Array.isArray(allowed)) throw invalid(`${PARAM}.tools`, "must be a list of tools");
  const names = new Set(allowed.map(nameOf));
  const clientTools = tools.filter(({ name }) => names.has(name));
  if (clientTools.length < names.size) throw invalid(`${PARAM}.tools`, "names a function that is not one of tools");
  return mode === "required" ? requireCall(clientTools) : { clientTools, toolChoice: "auto" };
}

function requireCall(clientTools: readonly ClientTool[]): SentTools {
  if (clientTools.length === 0) throw invalid(PARAM, "is required, and there are no tools");
  return { clientTools, toolChoice: "required" };
}

/** A chat completion has the function in a member of the tool, a response has its members in the tool. */
function membersOf(tool: unknown): Body {
  const { type: _type, function: inner, ...members } = isRecord(tool) ? tool : {};
  return isRecord(inner) ? inner : members;
}

function nameOf(tool: unknown): string {
  const { name } = membersOf(tool);
  return typeof name === "string" ? name : "";
}

function readList(tools: unknown): readonly ClientTool[] {
  if (!isSet(tools)) return [];
  if (!Array.isArray(tools)) throw invalid("tools", "must be a list of tools");
  return tools.map((tool: unknown, index) => {
    if (!isRecord(tool) || tool["type"] !== "function")
      throw unsupported(`tools[${index}]`, "only functions; give other tools to the agent");
    const { description, parameters } = membersOf(tool);
    return {
      name: nameOf(tool),
      description: typeof description === "string" ? description : "",
      ...(isRecord(parameters) && { input_schema: { type: "object", ...parameters } }),
    };
  });
}
