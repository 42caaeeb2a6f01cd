import { usePublishedAgent } from "../../../data/published-agents.ts";
import { Banner } from "../../../components/banner.tsx";
import { Link } from "../../../components/link.tsx";
import { useSwarmContext } from "./swarm-context.ts";

/** In a private conversation with an agent of somebody else: whether it still answers, and who reads. */
export function PrivateAgentNote() {
  const { swarm, userId, swarmAgents } = useSwarmContext();
  const id = swarm.private_agent_id;
  const isForeign = id !== null && swarmAgents.rows?.every(({ user_id: owner }) => owner !== userId) === true;
  const { rows: agent } = usePublishedAgent(id ?? "", isForeign);
  if (agent === null)
    return (
      <Banner tone="warning">
        The agent no longer answers you: its owner has withdrawn or deleted it. The conversation stays readable.
      </Banner>
    );
  if (agent?.transcripts !== "owner") return null;
  return (
    <Banner tone="warning">
      The owner of {agent.name} reads this conversation. <Link to={`/for-you/${agent.id}`}>About the agent</Link>
    </Banner>
  );
}
