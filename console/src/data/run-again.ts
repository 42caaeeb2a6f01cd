import { type AgentRespondConverseBody, invokeFunction } from "@swarmbase/sdk";
import type { Client } from "./client.ts";
import { unwrap } from "./failure.ts";
import type { Trace } from "./traces.ts";
import { useWrite, type Write } from "./write.ts";

/** In the swarm, as a new message. */
interface SwarmChanges {
  readonly kind: "swarm";
  readonly message: string;
  /** Null means that the strategy of the swarm decides. */
  readonly agentId: string | null;
  readonly maxTurns: number | null;
}

/** In a conversation of its own, with what was said before the question. */
interface AgentChanges {
  readonly kind: "agent";
  readonly message: string;
  readonly agentId: string;
  /** Null means the agent as it is now. */
  readonly version: number | null;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly instructions: string;
}

export type RunChanges = SwarmChanges | AgentChanges;

const MAX_EARLIER = 50;

/** Asks the question of a run again, with changes. Returns the id of the new run. */
export function useRunAgain(): Write<{ readonly trace: Trace; readonly changes: RunChanges }, string> {
  return useWrite({
    tables: ["runs"],
    write: async (client, { trace, changes }, key) => {
      const answer = await invokeFunction(
        client,
        "agent-respond",
        changes.kind === "swarm" ? toSwarmBody(trace, changes) : await toAgentBody(client, trace, changes),
        { headers: { "Idempotency-Key": key } },
      );
      return (answer as { run_id: string }).run_id;
    },
  });
}

function toSwarmBody({ swarm_id }: Trace, { message, agentId, maxTurns }: SwarmChanges) {
  return {
    swarm_id,
    message,
    background: true,
    ...(agentId !== null && { agent_ids: [agentId] }),
    ...(maxTurns !== null && { max_turns: maxTurns }),
  };
}

async function toAgentBody(client: Client, trace: Trace, changes: AgentChanges): Promise<AgentRespondConverseBody> {
  const { message, agentId, version, temperature, maxTokens, instructions } = changes;
  const settings = {
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { max_tokens: maxTokens }),
  };
  const earlier = await loadEarlier(client, trace, agentId);
  return {
    agent_id: agentId,
    messages: [
      ...(instructions.trim() === "" ? [] : [{ role: "system" as const, content: instructions }]),
      ...earlier,
      { role: "user", content: message },
    ],
    // Otherwise the run would be deleted after its end, and could not be compared.
    store: true,
    background: true,
    ...(version !== null && { agent_version: version }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** The messages before the question, from the view of the agent. */
async function loadEarlier(client: Client, { swarm_id, question }: Trace, agentId: string) {
  if (question === null) return [];
  const rows = await unwrap(
    client
      .from("messages")
      .select("content, sender_id, sender_name")
      .eq("swarm_id", swarm_id)
      .lt("seq", question.seq)
      .is("deleted_at", null)
      .order("seq", { ascending: false })
      .limit(MAX_EARLIER),
  );
  return rows
    .toReversed()
    .map(({ content, sender_id: sender, sender_name: name }) =>
      sender === agentId
        ? { role: "assistant" as const, content: content ?? "" }
        : { role: "user" as const, content: `[${name}]: ${content ?? ""}` },
    );
}
