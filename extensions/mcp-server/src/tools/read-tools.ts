import { AppError, type AskableAgent, readAgents, readRows } from "swarmbase/extension";
import type { Caller } from "../caller.ts";
import { MESSAGE, readMessages } from "../read-messages.ts";
import { readAgentPage } from "../read-page.ts";
import { listTool, pageOf } from "./list-tool.ts";
import {
  ADDITIVE,
  defineTool,
  id,
  LIMIT,
  list,
  object,
  READ_ONLY,
  row,
  structured,
  text,
  type ToolDefinition,
} from "./tool.ts";

const MAX_MESSAGE_CHARACTERS = 32_000;
const MAX_QUERY_CHARACTERS = 200;
const EXCERPT_CHARACTERS = 1_000;

/** Null for agents of others: `framework`, `model` and `status`; for your own: the terms of the grant. */
const AGENT = row("id name role? description? framework? model? status? payer? approver? transcripts?");
const SWARM = row("id name description? status strategy");
const FOUND_MESSAGE = row("id swarm_id seq# sender_name content created_at");

/** A pattern that finds the text anywhere, quoted for a list of conditions. */
function containsPattern(text: string): string {
  const escaped = text.replace(/[\\%_]/g, String.raw`\$&`);
  return `"${`%${escaped}%`.replace(/[\\"]/g, String.raw`\$&`)}"`;
}

function showAgent({ avatar: _, created_at: __, updated_at: ___, ...agent }: AskableAgent): Record<string, unknown> {
  return agent;
}

/** A condition that one of the columns contains the text. */
function containsIn(columns: readonly string[], text: string): string {
  const pattern = containsPattern(text);
  return `(${columns.map((column) => `${column}.ilike.${pattern}`).join(",")})`;
}

function search(
  caller: Caller,
  [table, select, columns]: readonly [string, string, readonly string[]],
  { query, limit = LIMIT.default, swarm_id: swarmId }: { query: string; limit?: number; swarm_id?: string },
): Promise<readonly Record<string, unknown>[]> {
  const parameters = new URLSearchParams({
    select,
    or: containsIn(columns, query),
    order: "id.desc",
    limit: String(limit),
    ...(table === "messages" && swarmId !== undefined && { swarm_id: `eq.${swarmId}` }),
  });
  return readRows(caller.core, `/${table}`, parameters);
}

export const READ_TOOLS: readonly ToolDefinition[] = [
  listTool({
    name: "agents",
    row: AGENT,
    description:
      "Lists the agents that you may ask, newest first: your own, and those of others, who pay, approve tool calls and read along as the last members say.",
    async read(caller, page) {
      const { rows, next } = await readAgentPage(caller, page);
      return { rows: rows.map(showAgent), next };
    },
  }),
  listTool({ name: "swarms", row: SWARM, description: "Lists the swarms that you are a member of, newest first." }),
  defineTool<{ swarm_id: string; limit?: number; cursor?: string }>({
    name: "read_messages",
    title: "Read messages",
    description: "Returns the last messages of a swarm, oldest first. The cursor continues with older ones.",
    scopes: ["read"],
    annotations: READ_ONLY,
    inputSchema: object(
      {
        swarm_id: id("The swarm"),
        limit: LIMIT,
        cursor: { type: "string", pattern: String.raw`^\d{1,15}$`, description: "The cursor of the previous page" },
      },
      ["swarm_id"],
    ),
    outputSchema: pageOf("messages", MESSAGE),
    async run({ swarm_id: swarmId, limit = LIMIT.default, cursor }, { caller }) {
      const found = await readMessages(caller, { swarmId, limit, before: cursor });
      if (found === null) throw new AppError("SWARM_NOT_FOUND", "There is no such swarm");
      return structured({ messages: found.messages, next_cursor: found.next });
    },
  }),
  defineTool<{ query: string; limit?: number; swarm_id?: string }>({
    name: "search",
    title: "Search",
    description: "Finds agents, swarms and messages that contain a text, newest first.",
    scopes: ["read"],
    annotations: READ_ONLY,
    inputSchema: object(
      {
        query: text("The text to find; upper and lower case are the same", MAX_QUERY_CHARACTERS),
        swarm_id: id("Search only the messages of this swarm"),
        limit: { ...LIMIT, description: "How many rows of each kind to return" },
      },
      ["query"],
    ),
    outputSchema: object({
      agents: list(AGENT.schema),
      swarms: list(SWARM.schema),
      messages: list(FOUND_MESSAGE.schema),
    }),
    async run(input, { caller }) {
      const messages = await search(caller, ["messages", FOUND_MESSAGE.select, ["content"]], input);
      const inSwarm = input.swarm_id !== undefined;
      const { query, limit = LIMIT.default } = input;
      const condition = { order: "id.desc", limit, or: containsIn(["name", "role"], query) } as const;
      return structured({
        agents: inSwarm ? [] : (await readAgents(caller.core, condition)).map(showAgent),
        swarms: inSwarm ? [] : await search(caller, ["swarms", SWARM.select, ["name", "description"]], input),
        messages: messages.map((row) => ({ ...row, content: String(row["content"]).slice(0, EXCERPT_CHARACTERS) })),
      });
    },
  }),
  defineTool<{ swarm_id: string; content: string; reply_to_id?: string }>({
    name: "post_message",
    title: "Post a message",
    description:
      "Stores a message of yours in a swarm. Agents answer it only where the swarm is set to answer messages by itself; ask_swarm asks them.",
    scopes: ["write"],
    annotations: ADDITIVE,
    inputSchema: object(
      {
        swarm_id: id("The swarm"),
        content: text("The text", MAX_MESSAGE_CHARACTERS),
        reply_to_id: id("The message of the same swarm that this one replies to"),
      },
      ["swarm_id", "content"],
    ),
    outputSchema: object({ message: MESSAGE.schema }),
    async run(body, { caller, messageId }) {
      const { body: rows } = await caller.core.rest({
        method: "POST",
        path: `/messages?select=${MESSAGE.select}`,
        headers: { prefer: "return=representation" },
        body: { ...body, ...(messageId !== null && { client_message_id: messageId }) },
      });
      const [message] = rows as Record<string, unknown>[];
      return structured({ message });
    },
  }),
];
