import { usePrivateAgent } from "../../../data/published-agents.ts";
import { Banner } from "../../../components/banner.tsx";
import { Link } from "../../../components/link.tsx";
import { useSwarmContext } from "./swarm-context.ts";

/** In a private conversation with an agent of somebody else: whether it still answers, and who reads. */
export function PrivateAgentNote() {
  const { swarm, rights, userId, swarmAgents } = useSwarmContext();
  const agents = swarmAgents.rows ?? [];
  const canBePrivate =
    rights.role === "owner" &&
    swarmAgents.rows !== undefined &&
    agents.length <= 1 &&
    agents.every(({ user_id: owner }) => owner !== userId);
  const known = usePrivateAgent(swarm.id, canBePrivate);
  if (known === undefined) return null;
  if (known.agent === null)
    return (
      <Banner tone="warning">
        The agent no longer answers you: its owner has withdrawn or deleted it. The conversation stays readable.
      </Banner>
    );
  if (known.agent.transcripts !== "owner") return null;
  return (
    <Banner tone="warning">
      The owner of {known.agent.name} reads this conversation.{" "}
      <Link to={`/for-you/${known.agent.id}`}>About the agent</Link>
    </Banner>
  );
}
