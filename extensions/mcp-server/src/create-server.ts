import { type ClientCapabilities, Server } from "@modelcontextprotocol/server";
import type { Caller } from "./caller.ts";
import { toProtocolError } from "./errors.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, readResource, TRANSCRIPT_TEMPLATE } from "./resources.ts";
import { callTool, listTools } from "./tools/index.ts";
import type { ToolCall } from "./tools/tool.ts";

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
