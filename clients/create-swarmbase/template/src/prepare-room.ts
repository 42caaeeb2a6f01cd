import { invokeFunction } from "@swarmbase/sdk";
import { supabase } from "./supabase.ts";

const preparing = new Map<string, Promise<string>>();

/** The id of the user's swarm. The first time it is created, with agents, a tool and a webhook. */
export function prepareRoom(userId: string): Promise<string> {
  const known = preparing.get(userId);
  if (known !== undefined) return known;
  const started = findOrCreateRoom();
  preparing.set(userId, started);
  started.catch(() => preparing.delete(userId)); // The next call tries again.
  return started;
}

async function findOrCreateRoom(): Promise<string> {
  const { data, error } = await supabase.from("swarms").select("id").order("created_at").limit(1);
  if (error !== null) throw error;
  return data[0]?.id ?? createRoom();
}

/** Ordinary inserts, in one transaction: either everything is there afterwards, or nothing. */
async function createRoom(): Promise<string> {
  const [swarmId, plannerId, buyerId, toolId] = Array.from({ length: 4 }, () => crypto.randomUUID());
  const server = import.meta.env.VITE_SERVER_URL;
  const planner = {
    id: plannerId,
    name: "Planner",
    role: "Suggests what to eat",
    system_prompt: "You plan the lunch of a small team. Suggest something in one or two sentences. You cannot order.",
  };
  const buyer = {
    id: buyerId,
    name: "Buyer",
    role: "Orders it, with your approval",
    system_prompt:
      "You order food with the tool place_order when somebody asks for it. Otherwise answer in one sentence.",
  };
  const tool = {
    id: toolId,
    name: "place_order",
    description: "Orders food for the team.",
    kind: "http",
    requires_approval: true,
    config: { method: "POST", url: `${server}/orders` },
    input_schema: {
      type: "object",
      properties: { item: { type: "string" }, quantity: { type: "integer", minimum: 1, maximum: 20 } },
      required: ["item"],
    },
  };
  const webhook = {
    name: "The app's own server",
    url: `${server}/hook`,
    events: ["message.created", "tool.executed", "tool.error", "agent.error"],
  };
  const insert = (table: string, body: object) => ({ method: "POST" as const, path: `/${table}`, body });
  await invokeFunction(supabase, "batch", {
    operations: [
      insert("agents", planner),
      insert("agents", buyer),
      insert("tools", tool),
      insert("agent_tools", { agent_id: buyerId, tool_id: toolId }),
      insert("swarms", { id: swarmId, name: "Team lunch" }),
      insert("swarm_agents", { swarm_id: swarmId, agent_id: plannerId }),
      insert("swarm_agents", { swarm_id: swarmId, agent_id: buyerId }),
      insert("webhooks", webhook),
    ],
  });
  return swarmId ?? "";
}
