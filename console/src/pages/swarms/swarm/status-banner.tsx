import type { SwarmStatus } from "@swarmbase/sdk";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { useSetStatus } from "./use-set-status.ts";

const REASONS: Readonly<Record<Exclude<SwarmStatus, "active">, string>> = {
  paused: "The swarm is paused: messages are stored, but no agent answers.",
  completed: "The swarm is completed: messages are stored, but no agent answers.",
  archived: "The swarm is archived: messages are stored, but no agent answers.",
};

/** Why the user cannot write, or why no agent answers. Users who manage the swarm can change that. */
export function StatusBanner() {
  const { swarm, rights } = useSwarmContext();
  const setStatus = useSetStatus();
  if (!rights.canWrite)
    return <Banner tone="note">You are a viewer and cannot write. An admin can change your role.</Banner>;
  if (swarm.status === "active") return null;
  return (
    <Banner
      tone="warning"
      action={
        rights.canManage && (
          <Button size="small" onClick={() => setStatus("active")}>
            {swarm.status === "paused" ? "Resume" : "Reopen"}
          </Button>
        )
      }
    >
      {REASONS[swarm.status]}
    </Banner>
  );
}
