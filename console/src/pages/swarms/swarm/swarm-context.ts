import { createContext, useContext } from "react";
import type { Members } from "../../../data/members.ts";
import type { Presence } from "../../../data/presence.ts";
import type { ReadResult } from "../../../data/rows.ts";
import type { SwarmAgent } from "../../../data/swarm-agents.ts";
import type { Rights, Swarm } from "../../../data/swarms.ts";

/** The swarm that is open, for all components of its page. */
export interface SwarmDetails {
  readonly swarm: Swarm;
  readonly rights: Rights;
  readonly userId: string;
  readonly swarmAgents: ReadResult<readonly SwarmAgent[]>;
  readonly members: Members;
  readonly presence: Presence;
  /** Whether the side panel is open as a drawer, on screens where it does not fit beside the conversation. */
  readonly isPanelOpen: boolean;
  setPanelOpen(isOpen: boolean): void;
}

export const SwarmContext = createContext<SwarmDetails | null>(null);

export function useSwarmContext(): SwarmDetails {
  const details = useContext(SwarmContext);
  if (details === null) throw new Error("useSwarmContext was called outside of a swarm page");
  return details;
}
