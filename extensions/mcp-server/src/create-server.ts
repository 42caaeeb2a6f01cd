import {
  type ClientCapabilities,
  type GetPromptResult,
  type ListPromptsResult,
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import { isUuid } from "@swarmbase/sdk";
import { type AskableAgent, readAgents, type TableRow } from "swarmbase/extension";
import type { Caller } from "./caller.ts";
import { toProtocolError } from "./errors.ts";
import { readMessages } from "./read-messages.ts";
import { readAgentPage, readPage } from "./read-page.ts";
import { callTool, listTools } from "./tools/index.ts";
import type { ToolCall } from "./tools/tool.ts";

const MIME_TYPE = "text/markdown";

const URI = /^swarmbase:\/\/swarms\/([^/?]+)\/transcript(?:\?before=(\d{1,15}))?$/;

const TRANSCRIPT_MESSAGES = 100;

const SWARMS = { select: "id,name,description" };

const TRANSCRIPT_TEMPLATE = {
  name: "transcript",
  title: "Transcript of a swarm",
  uriTemplate: "swarmbase://swarms/{swarm_id}/transcript{?before}",
  description: `The last ${TRANSCRIPT_MESSAGES} messages of a swarm, or those before the message with the number "before".`,
  mimeType: MIME_TYPE,
};

const ID_LENGTH = 36;

const MAX_SLUG = 20;

const INSTRUCTIONS = `Agents answer messages. A swarm is a conversation of agents and people.
ask_agent talks to one agent in private; ask_swarm posts into a swarm, where its agents answer and its members read.
An answer with the status requires_action waits for a person: see list_approvals and decide_approval.`;

/** The server for one request of the caller. `messageId` identifies the message that the request stores, if the client has a session. */
export function createServer(caller: Caller, messageId: string | null): Server {
  const server = new Server(
    { name: "swarmbase", title: "Swarmbase", version: caller.version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  const answer = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw toProtocolError(caller, error);
    }
  };
  server.setRequestHandler("tools/list", () => ({ tools: listTools(caller) }));
  server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, { mcpReq }) =>
    answer(
      callTool(name, input, {
        caller,
        messageId,
        request: mcpReq,
        ...readModes(server.getClientCapabilities()),
      }),
    ),
  );
  server.setRequestHandler("resources/list", ({ params }) => answer(listResources(caller, params?.cursor)));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [TRANSCRIPT_TEMPLATE] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => answer(readResource(caller, uri)));
  server.setRequestHandler("prompts/list", ({ params }) => answer(listPrompts(caller, params?.cursor)));
  server.setRequestHandler("prompts/get", ({ params }) => answer(getPrompt(caller, params.name, params.arguments)));
  return server;
}

/** A client that names no mode shows forms. */
function readModes({ elicitation }: ClientCapabilities = {}): Pick<ToolCall, "showsForms" | "opensUrls"> {
  const opensUrls = elicitation?.url !== undefined;
  return { showsForms: elicitation !== undefined && (elicitation.form !== undefined || !opensUrls), opensUrls };
}

/** One prompt for each agent that the caller may ask, newest first. None for a key that cannot ask agents. */
async function listPrompts(caller: Caller, cursor: string | undefined): Promise<ListPromptsResult> {
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

async function getPrompt(
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

type SwarmRow = TableRow<"swarms", "id" | "name" | "description">;

function transcriptUri(swarmId: string): string {
  return `swarmbase://swarms/${swarmId}/transcript`;
}

/** The transcripts of the swarms that the caller can read, newest swarm first. */
async function listResources(caller: Caller, cursor: string | undefined): Promise<ListResourcesResult> {
  const { rows, next } = await readPage<SwarmRow>(caller, "/swarms", { query: SWARMS, cursor });
  return {
    resources: rows.map(({ id, name, description }) => ({
      uri: transcriptUri(id),
      name: `transcript-${id}`,
      title: name,
      ...(description !== null && { description }),
      mimeType: MIME_TYPE,
    })),
    ...(next !== null && { nextCursor: next }),
  };
}

async function readResource(caller: Caller, uri: string): Promise<ReadResourceResult> {
  const [, swarmId = "", before] = URI.exec(uri) ?? [];
  const page = { swarmId, limit: TRANSCRIPT_MESSAGES, before };
  const found = isUuid(swarmId) ? await readMessages(caller, page) : null;
  if (found === null) throw new ResourceNotFoundError(uri);
  const parts = found.messages.map(
    ({ sender_name: name, created_at: time, content }) => `**${name}** (${time})\n\n${content}`,
  );
  const earlier = found.next === null ? [] : [`Earlier messages: ${transcriptUri(swarmId)}?before=${found.next}`];
  const text = [`# ${found.name}`, ...earlier, ...parts].join("\n\n");
  return { contents: [{ uri, mimeType: MIME_TYPE, text }] };
}
