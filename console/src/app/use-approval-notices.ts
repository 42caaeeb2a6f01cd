import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import type { Approval } from "../data/approvals.ts";
import { notify } from "../data/notifications.ts";

/** Tells a user who looks elsewhere about each new tool call that waits for their decision. Those of the first load are not new. */
export function useApprovalNotices(approvals: readonly Approval[] | undefined): void {
  const navigate = useNavigate();
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (approvals === undefined) return;
    const before = known.current;
    known.current = new Set([...(before ?? []), ...approvals.map(keyOf)]);
    if (before === null) return;
    for (const approval of approvals) {
      if (before.has(keyOf(approval))) continue;
      const { agentName, toolName, swarmName, question } = approval;
      void notify({
        id: keyOf(approval),
        title: question === null ? `${agentName} needs your approval` : `${agentName} has a question`,
        text: `${toolName}, in ${swarmName ?? "a private conversation"}`,
        onOpen: () => void navigate("/approvals"),
      });
    }
  }, [approvals, navigate]);
}

/** A call can ask again. */
function keyOf({ id, question }: Approval): string {
  return `${id} ${question?.id ?? ""}`;
}
