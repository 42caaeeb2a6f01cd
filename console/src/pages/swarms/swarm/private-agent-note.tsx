import { usePublishedAgent } from "../../../data/published-agents.ts";
import { Banner } from "../../../components/banner.tsx";
import { Link } from "../../../components/link.tsx";
import { useSwarmContext } from "./swarm-context.ts";

/** In a private conversation with an agent of somebody else: whether it still answers, and who reads. */
export function PrivateAgentNote() {
  const { private_agent_id: id, transcripts } = useSwarmContext().swarm;
  const { rows: agent } = usePublishedAgent(id ?? "", id !== null && transcripts !== null);
  const isRead = transcripts === "owner";
  // A conversation keeps its readers: under a grant that says otherwise, another one begins.
  const isOver = agent === null || (agent !== undefined && agent.transcripts !== transcripts);
  if (!isRead && !isOver) return null;
  return (
    <Banner tone="warning">
      {agent === null &&
        "The agent no longer answers you: its owner has withdrawn or deleted it. The conversation stays readable. "}
      {isRead && `The owner of ${agent?.name ?? "the agent"} reads this conversation. `}
      {agent && isOver && "The owner has changed who reads conversations, so the agent answers in a new one. "}
      {agent && <Link to={`/for-you/${agent.id}`}>About the agent</Link>}
    </Banner>
  );
}
