// In charge of: React hooks over the sdk and supabase-js.
// Not in charge of: how anything looks.
export type { SwarmMessage } from "./swarm-message.ts";
export type { Approval, SendOptions, SwarmActions, SwarmState, Wait } from "./swarm-state.ts";
export { type Swarm, useSwarm, type UseSwarmOptions } from "./use-swarm.ts";
