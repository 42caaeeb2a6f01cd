import { X } from "lucide-react";
import type { Failure } from "../../../data/failure.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { Link } from "../../../components/link.tsx";
import { useRoom } from "./room-context.ts";

export interface RefusalProps {
  readonly failure: Failure;
  onDismiss(): void;
  /** Sends what stands in the field again, with another answer to "and if a run is under way?" */
  onAskAgain(onConflict: "enqueue" | "interrupt"): void;
}

const WORDS: Readonly<Record<string, string>> = {
  SWARM_NOT_ACTIVE: "The swarm is not active, so no agent answers. Your words are still in the field.",
  SWARM_BUSY: "A run is under way, and this swarm refuses a second one.",
  NO_AGENTS: "There is no agent here that could answer.",
  BUDGET_EXCEEDED: "The budget is used up, so the run was not begun.",
  CONTENT_BLOCKED: "The message has a term that this swarm does not allow. Say it in other words.",
  RATE_LIMITED: "Too many questions at once. Wait a moment and send it again.",
};

/** Why nothing was sent, in plain words, with what can be done about it. */
export function Refusal({ failure, onDismiss, onAskAgain }: RefusalProps) {
  const { swarm } = useRoom();
  const fields = Object.values(failure.fields).join("; ");
  return (
    <Banner
      tone="bad"
      action={
        <span className="flex shrink-0 items-center gap-1">
          {failure.code === "SWARM_BUSY" && (
            <>
              <Button size="small" onClick={() => onAskAgain("enqueue")}>
                Wait for it
              </Button>
              <Button size="small" onClick={() => onAskAgain("interrupt")}>
                Interrupt it
              </Button>
            </>
          )}
          <IconButton size="small" label="Dismiss" icon={<X />} onClick={onDismiss} />
        </span>
      }
    >
      {WORDS[failure.code] ?? [failure.message, fields].join(" ")}{" "}
      {failure.code === "BUDGET_EXCEEDED" && <Link to={`/swarms/${swarm.id}/settings`}>See the budgets</Link>}
    </Banner>
  );
}
