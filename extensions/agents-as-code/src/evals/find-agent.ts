import { UUID } from "../model/keys.ts";
import type { Session } from "../service/connect.ts";

interface FoundAgent {
  readonly id: string;
  readonly name: string;
}

/** The owner's agent with this id or name. */
export async function findAgent({ client, owner }: Session, named: string): Promise<FoundAgent> {
  const filter = UUID.test(named) ? { id: `eq.${named}` } : { name: `eq.${named}` };
  const rows = await client.listRows("agents", { ...filter, user_id: `eq.${owner.id}`, select: "id,name,created_at" });
  const [agent, another] = rows as unknown as readonly FoundAgent[];
  if (agent === undefined) throw new Error(`There is no agent ${JSON.stringify(named)}.`);
  if (another !== undefined) throw new Error(`Several agents are named ${JSON.stringify(named)}: use the id of one.`);
  return agent;
}

/** The number, if the agent has that version; null stands for the latest. */
export async function findVersion({ client }: Session, agent: FoundAgent, number: number | null): Promise<number> {
  const filter = number === null ? "order=number.desc&limit=1" : `number=eq.${number}`;
  const path = `/rest/v1/agent_versions?agent_id=eq.${agent.id}&select=number&${filter}`;
  const [version] = (await client.call("GET", path)) as unknown as readonly { readonly number: number }[];
  if (version === undefined) throw new Error(`The agent ${JSON.stringify(agent.name)} has no version ${number ?? 1}.`);
  return version.number;
}
