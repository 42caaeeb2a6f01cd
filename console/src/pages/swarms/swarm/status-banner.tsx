import type { SwarmStatus } from "@swarmbase/sdk";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { useRoom } from "./room-context.ts";
import { useSetStatus } from "./use-set-status.ts";

const REASONS: Readonly<Record<Exclude<SwarmStatus, "active">, string>> = {
  paused: "The swarm is paused: what you say is kept, and no agent answers.",
  completed: "The swarm is completed: what you say is kept, and no agent answers.",
  archived: "The swarm is archived: what you say is kept, and no agent answers.",
};

/** Why one cannot write here, or why nobody would answer; with the way to change it for those who may. */
export function WhyNot() {
  const { swarm, rights } = useRoom();
  const setStatus = useSetStatus();
  if (!rights.canWrite) return <Banner tone="note">You read along as a viewer. An admin can let you write.</Banner>;
  if (swarm.status === "active") return null;
  return (
    <Banner
      tone="warning"
      action={
        rights.canManage && (
          <Button size="small" onClick={() => setStatus("active")}>
            {swarm.status === "paused" ? "Resume" : "Open again"}
          </Button>
        )
      }
    >
      {REASONS[swarm.status]}
    </Banner>
  );
}
