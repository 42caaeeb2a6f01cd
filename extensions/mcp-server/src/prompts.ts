import {
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { isUuid } from "@swarmbase/sdk";
import { type AskableAgent, readAgents } from "swarmbase/extension";
import type { Caller } from "./caller.ts";
import { readAgentPage } from "./read-page.ts";

const ID_LENGTH = 36;
const MAX_SLUG = 20;

/** One prompt for each agent that the caller may ask, newest first. None for a key that cannot ask agents. */
export async function listPrompts(caller: Caller, cursor: string | undefined): Promise<ListPromptsResult> {
  if (!caller.core.hasScope("run")) return { prompts: [] };
  const { rows, next } = await readAgentPage(caller, { cursor });
  return {
    prompts: rows.map((agent) => ({
      name: promptName(agent),
      title: `Ask ${agent.name}`,
      description: agent.description ?? agent.role ?? `Sends a message to the agent ${agent.name}.`,
      arguments: [{ name: "message", description: "What to ask", required: true }],
    })),
    ...(next !== null && { nextCursor: next }),
  };
}

export async function getPrompt(
  caller: Caller,
  name: string,
  { message }: Readonly<Record<string, string>> = {},
): Promise<GetPromptResult> {
  const id = name.slice(-ID_LENGTH);
  const [agent] = isUuid(id) ? await readAgents(caller.core, { order: "id", limit: 1, id: `eq.${id}` }) : [];
  // The rest of the name may be older than the name of the agent.
  if (agent === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}`);
  if (message === undefined || message.trim() === "")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The argument message is required");
  const text = `Send the following message to the agent ${agent.name} with the tool ask_agent (agent_id ${agent.id}), and answer with its reply.\n\n${message}`;
  return { description: `Ask ${agent.name}`, messages: [{ role: "user", content: { type: "text", text } }] };
}

/** Readable for people, and unique by the id at its end. */
function promptName({ id, name }: AskableAgent): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG)
    .replace(/^-|-$/g, "");
  return ["ask", ...(slug === "" ? [] : [slug]), id].join("-");
}
