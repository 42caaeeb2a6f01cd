import { X } from "lucide-react";
import type { Failure } from "../../../data/failure.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { Link } from "../../../components/link.tsx";
import { useSwarmContext } from "./swarm-context.ts";

interface SendFailureProps {
  readonly failure: Failure;
  onDismiss(): void;
  /** Sends the text again with another `on_conflict`. */
  onAskAgain(onConflict: "enqueue" | "interrupt"): void;
}

const LABELS: Readonly<Record<string, string>> = {
  SWARM_NOT_ACTIVE: "The swarm is not active, so no agent answers. Your message is still in the field.",
  SWARM_BUSY: "A run is in progress, and this swarm rejects further questions meanwhile.",
  NO_AGENTS: "The swarm has no enabled agent.",
  BUDGET_EXCEEDED: "The budget is used up, so no run was started.",
  CONTENT_BLOCKED: "The message contains a term from the blocklist of this swarm.",
  RATE_LIMITED: "Too many questions. Wait a moment and send it again.",
};

/** Explains why a message was rejected and offers alternatives. */
export function SendFailure({ failure, onDismiss, onAskAgain }: SendFailureProps) {
  const { swarm } = useSwarmContext();
  const fields = Object.values(failure.fields).join("; ");
  return (
    <Banner
      tone="bad"
      action={
        <span className="flex shrink-0 items-center gap-1">
          {failure.code === "SWARM_BUSY" && (
            <>
              <Button size="small" onClick={() => onAskAgain("enqueue")}>
                Queue the question
              </Button>
              <Button size="small" onClick={() => onAskAgain("interrupt")}>
                Interrupt the run
              </Button>
            </>
          )}
          <IconButton size="small" label="Dismiss" icon={<X />} onClick={onDismiss} />
        </span>
      }
    >
      {LABELS[failure.code] ?? [failure.message, fields].join(" ")}{" "}
      {failure.code === "BUDGET_EXCEEDED" && <Link to={`/swarms/${swarm.id}/settings`}>View budgets</Link>}
    </Banner>
  );
}
