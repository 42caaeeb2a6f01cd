/** Who answers: one agent in the private swarm of the caller and the agent, or the agents of a swarm. */
export type Target = { readonly agent_id: string } | { readonly swarm_id: string };
