import type { Approval, SwarmMessage } from "@swarmbase/react";
import { useEffect, useState } from "react";
import { supabase } from "./supabase.ts";

interface Props {
  readonly swarmId: string;
  readonly messages: readonly SwarmMessage[];
  readonly approvals: readonly Approval[];
}

interface Agent {
  readonly id: string;
  readonly name: string;
  readonly role: string | null;
}

export function AgentList({ swarmId, messages, approvals }: Props) {
  const [agents, setAgents] = useState<readonly Agent[]>([]);
  useEffect(() => {
    const query = supabase.from("swarm_agents").select("agents(id, name, role)").eq("swarm_id", swarmId);
    void query
      .order("position")
      .then(({ data }) => setAgents((data ?? []).flatMap(({ agents: agent }) => agent ?? [])));
  }, [swarmId]);

  function statusOf({ id }: Agent): string {
    if (approvals.some(({ agentId }) => agentId === id)) return "waits for you";
    const written = messages.find(({ status, senderId }) => status === "streaming" && senderId === id);
    if (written === undefined) return "idle";
    return written.content === "" ? "thinking" : "writing";
  }

  return (
    <aside aria-label="Agents">
      {agents.map((agent) => (
        <div key={agent.id} className="agent" data-status={statusOf(agent)}>
          <b>{agent.name}</b>
          <small>{agent.role}</small>
          <i>{statusOf(agent)}</i>
        </div>
      ))}
    </aside>
  );
}
