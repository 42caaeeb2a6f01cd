import { type Client, getConfig } from "./client.ts";
import { useLiveTable } from "./live.ts";
import { useReloadSoon } from "./reload-soon.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { unwrap } from "./failure.ts";
import type { WebhookSummary } from "./webhook-summaries.ts";
import { once, useWrite } from "./write.ts";

/** The progress of the first steps, derived from the user's rows. */
export interface FirstSteps {
  readonly agents: number;
  /** An existing agent, or null. */
  readonly agentId: string | null;
  readonly hasTool: boolean;
  /** A swarm with an agent in it, or null. */
  readonly swarmId: string | null;
  readonly hasAnswer: boolean;
  /** An existing webhook, or null. */
  readonly webhookId: string | null;
  readonly hasDelivery: boolean;
}

export function areAllDone(steps: FirstSteps): boolean {
  return steps.agents >= 2 && Object.values(steps).every((value) => value !== null && value !== false);
}

const AGENTS_KEY = ["agents", "first steps"] as const;
const SWARMS_KEY = ["swarms", "first steps"] as const;
const ANY_CHANGE = ["INSERT", "DELETE"] as const;
const INSERTS = ["INSERT"] as const;
/** Enough rows to find one agent with a tool, and one swarm with an answer. */
const SEARCHED_ROWS = 30;

interface FirstStepsOptions {
  readonly isOn: boolean;
  /** Undefined while they are loading. */
  readonly webhooks: readonly WebhookSummary[] | undefined;
}

export function useFirstSteps({ isOn, webhooks }: FirstStepsOptions): ReadResult<FirstSteps> {
  useLiveTable("agents", { isOn });
  useLiveTable("agent_tools", { isOn, onChange: useReloadSoon(AGENTS_KEY, ANY_CHANGE) });
  useLiveTable("swarms", { isOn });
  useLiveTable("messages", { isOn, onChange: useReloadSoon(SWARMS_KEY, INSERTS) });
  const agents = useRows({
    table: "agents",
    key: AGENTS_KEY.slice(1),
    isOn,
    follows: ["agent_tools"],
    read: (client) =>
      client
        .from("agents")
        .select("id, agent_tools(id)")
        .limit(1, { referencedTable: "agent_tools" })
        .limit(SEARCHED_ROWS),
  });
  const swarms = useRows({
    table: "swarms",
    key: SWARMS_KEY.slice(1),
    isOn,
    follows: ["messages"],
    read: (client) =>
      client
        .from("swarms")
        .select("id, swarm_agents!inner(id), messages(id)")
        .limit(1, { referencedTable: "swarm_agents" })
        .eq("messages.sender_type", "agent")
        .limit(1, { referencedTable: "messages" })
        .limit(SEARCHED_ROWS),
  });
  const failure = agents.failure ?? swarms.failure;
  const reload = () => {
    agents.reload();
    swarms.reload();
  };
  if (agents.rows === undefined || swarms.rows === undefined || webhooks === undefined)
    return { rows: undefined, failure, reload };
  const steps: FirstSteps = {
    agents: agents.rows.length,
    agentId: agents.rows[0]?.id ?? null,
    hasTool: agents.rows.some(({ agent_tools: tools }) => tools.length > 0),
    swarmId: swarms.rows[0]?.id ?? null,
    hasAnswer: swarms.rows.some(({ messages }) => messages.length > 0),
    webhookId: webhooks[0]?.id ?? null,
    hasDelivery: webhooks.some(({ last }) => last.length > 0),
  };
  return { rows: steps, failure, reload };
}

const STORED = "swarmbase.first-steps";

/** Whether the user has finished the first steps in this browser: a home page that needs no list of them reads less. */
export function isSetUp(userId: string): boolean {
  return localStorage.getItem(STORED) === userId;
}

export function rememberSetUp(userId: string): void {
  localStorage.setItem(STORED, userId);
}

const AGENTS = [
  {
    name: "Ada",
    role: "Explains",
    system_prompt:
      "You explain things clearly and briefly, with an example. You are friendly and never longer than needed.",
  },
  {
    name: "Max",
    role: "Doubts",
    system_prompt:
      "You look for what is missing or wrong in what was said before you, and say it kindly in two or three sentences.",
  },
];
const SWARM = {
  name: "First conversation",
  description: "Ada explains, Max doubts.",
  strategy: "round_robin",
} as const;
const QUESTION = "Hello! Who are you two, and what could you do for me?";

/** A built-in tool. */
const CALCULATOR = "calculator";

/** Creates two agents, one with a tool, and a swarm with both, and asks a first question. Returns the id of the swarm. */
export function useSetUp() {
  return useWrite<void, string>({
    tables: ["agents", "agent_tools", "swarms", "swarm_agents", "messages"],
    write: async (client, _input, key) => {
      const { framework } = getConfig();
      const drafts = AGENTS.map((agent) => ({ ...agent, framework }));
      const agents = await unwrap(once(client.from("agents").insert(drafts).select("id"), key));
      const swarm = await unwrap(once(client.from("swarms").insert(SWARM).select("id").single(), `${key}:swarm`));
      await giveTool(client, agents[0]?.id, `${key}:tool`);
      const swarmAgents = agents.map(({ id }, position) => ({ swarm_id: swarm.id, agent_id: id, position }));
      await unwrap(once(client.from("swarm_agents").insert(swarmAgents).select("id"), `${key}:agents`));
      const body = { swarm_id: swarm.id, message: QUESTION, background: true };
      const headers = { "Idempotency-Key": `${key}:question` };
      await unwrap(client.functions.invoke("agent-respond", { body, headers }));
      return swarm.id;
    },
  });
}

/** Does nothing if the operator has removed the tool from the catalogue. */
async function giveTool(client: Client, agentId: string | undefined, key: string): Promise<void> {
  const tools = await unwrap(client.from("tools").select("id").eq("name", CALCULATOR).limit(1));
  const tool = tools[0];
  if (tool === undefined || agentId === undefined) return;
  const row = { agent_id: agentId, tool_id: tool.id };
  await unwrap(once(client.from("agent_tools").insert(row).select("id"), key));
}
