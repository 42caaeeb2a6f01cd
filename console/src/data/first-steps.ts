import type { Client } from "./client.ts";
import { useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { unwrap } from "./failure.ts";
import { useWrite } from "./write.ts";

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

export function useFirstSteps(): ReadResult<FirstSteps> {
  useLiveTable("agents");
  useLiveTable("agent_tools");
  useLiveTable("swarms");
  useLiveTable("messages");
  const agents = useRows({
    table: "agents",
    key: ["first steps"],
    read: (client, signal) => client.from("agents").select("id").limit(2).abortSignal(signal),
  });
  const tools = useRows({
    table: "agent_tools",
    key: ["first steps"],
    read: (client, signal) => client.from("agent_tools").select("id").limit(1).abortSignal(signal),
  });
  const swarms = useRows({
    table: "swarms",
    key: ["first steps"],
    read: (client, signal) => client.from("swarms").select("id, swarm_agents!inner(id)").limit(1).abortSignal(signal),
  });
  const answers = useRows({
    table: "messages",
    key: ["first steps"],
    read: (client, signal) =>
      client.from("messages").select("id").eq("sender_type", "agent").limit(1).abortSignal(signal),
  });
  const webhooks = useRows({
    table: "webhooks",
    key: ["first steps"],
    read: (client, signal) => client.from("webhooks").select("id").limit(1).abortSignal(signal),
  });
  const deliveries = useRows({
    table: "webhook_deliveries",
    key: ["first steps"],
    read: (client, signal) => client.from("webhook_deliveries").select("id").limit(1).abortSignal(signal),
  });
  const all = [agents, tools, swarms, answers, webhooks, deliveries];
  const reload = () => {
    for (const reading of all) reading.reload();
  };
  const failure = all.find((reading) => reading.failure !== null)?.failure ?? null;
  if (all.some(({ rows }) => rows === undefined)) return { rows: undefined, failure, reload };
  const steps: FirstSteps = {
    agents: agents.rows?.length ?? 0,
    agentId: agents.rows?.[0]?.id ?? null,
    hasTool: (tools.rows?.length ?? 0) > 0,
    swarmId: swarms.rows?.[0]?.id ?? null,
    hasAnswer: (answers.rows?.length ?? 0) > 0,
    webhookId: webhooks.rows?.[0]?.id ?? null,
    hasDelivery: (deliveries.rows?.length ?? 0) > 0,
  };
  return { rows: steps, failure, reload };
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
const QUESTION = "Hello! Who are you two, and what could you do for me?";

/** A built-in tool. */
const CALCULATOR = "calculator";

/** Creates two agents, one with a tool, and a swarm with both, and asks a first question. Returns the id of the swarm. */
export function useSetUp() {
  return useWrite<void, string>({
    tables: ["agents", "agent_tools", "swarms", "swarm_agents", "messages"],
    write: async (client) => {
      const agents = await unwrap(client.from("agents").insert(AGENTS).select("id"));
      const swarm = await unwrap(
        client
          .from("swarms")
          .insert({ name: "First conversation", description: "Ada explains, Max doubts.", strategy: "round_robin" })
          .select("id")
          .single(),
      );
      await giveTool(client, agents[0]?.id);
      const swarmAgents = agents.map(({ id }, position) => ({ swarm_id: swarm.id, agent_id: id, position }));
      await unwrap(client.from("swarm_agents").insert(swarmAgents).select("id"));
      const body = { swarm_id: swarm.id, message: QUESTION, background: true };
      await unwrap(client.functions.invoke("agent-respond", { body }));
      return swarm.id;
    },
  });
}

/** Does nothing if the operator has removed the tool from the catalogue. */
async function giveTool(client: Client, agentId: string | undefined): Promise<void> {
  const tools = await unwrap(client.from("tools").select("id").eq("name", CALCULATOR).limit(1));
  const tool = tools[0];
  if (tool === undefined || agentId === undefined) return;
  await unwrap(client.from("agent_tools").insert({ agent_id: agentId, tool_id: tool.id }).select("id"));
}
