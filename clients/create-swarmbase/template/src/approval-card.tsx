import type { Approval, Swarm } from "@swarmbase/react";
import { useState } from "react";

interface Props extends Pick<Swarm, "approve" | "deny"> {
  readonly approval: Approval;
}

export function ApprovalCard({ approval, approve, deny }: Props) {
  const [error, setError] = useState("");
  const { agentName, toolName, input } = approval;
  const show = (reason: unknown) => setError(reason instanceof Error ? reason.message : String(reason));
  const decide = (decision: Promise<void>) => void decision.catch(show);
  return (
    <section className="approval" aria-label="Approval">
      <p>
        <b>{agentName}</b> wants to call <code>{toolName}</code>
      </p>
      <pre>{JSON.stringify(input, null, 2)}</pre>
      <button className="primary" onClick={() => decide(approve(approval))}>
        Approve
      </button>
      <button onClick={() => decide(deny(approval, "Not now"))}>Deny</button>
      <p role="alert">{error}</p>
    </section>
  );
}
