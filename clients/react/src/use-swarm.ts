import type { SupabaseClient } from "@supabase/supabase-js";
import { useMemo, useSyncExternalStore } from "react";
import { shareSwarm } from "./shared-swarm.ts";
import type { SwarmActions, SwarmState } from "./swarm-state.ts";

export interface UseSwarmOptions {
  /** Show the user as present, and who else is. Default: true. */
  readonly presence?: boolean;
  /** Include the reasoning of models, where the user may see it. Default: false. */
  readonly includeReasoning?: boolean;
}

export interface Swarm extends SwarmState, SwarmActions {}

/**
 * A swarm as it changes: its messages, the replies that agents are writing, tool calls, approvals and presence, and what the user can do.
 * All components that use the same client and swarm share one connection.
 */
export function useSwarm(client: SupabaseClient, swarmId: string, options: UseSwarmOptions = {}): Swarm {
  const { presence = true, includeReasoning = false } = options;
  const swarm = useMemo(
    () => shareSwarm(client, swarmId, { presence, includeReasoning }),
    [client, swarmId, presence, includeReasoning],
  );
  const state = useSyncExternalStore(swarm.subscribe, swarm.getState, swarm.getState);
  return useMemo(() => ({ ...state, ...swarm.actions }), [state, swarm]);
}
