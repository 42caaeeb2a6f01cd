import type { ExtensionCore, ExtensionRestAnswer, ExtensionRestCall } from "swarmbase/extension";

/** The agent or swarm that an endpoint stands for. */
export interface Target {
  readonly kind: "agents" | "swarms";
  readonly id: string;
}

/** What cards are made of. */
export interface CardSource {
  /** As the caller, or as the service for public cards. */
  rest(call: ExtensionRestCall): Promise<ExtensionRestAnswer>;
  /** The public URL of the service. */
  readonly baseUrl: string;
  /** The version of the service. */
  readonly version: string;
}

/** One call of an endpoint. */
export interface Session {
  readonly target: Target;
  readonly core: ExtensionCore;
  readonly cards: CardSource;
  readonly userId: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export function endpointOf(baseUrl: string, { kind, id }: Target): string {
  return `${baseUrl}/a2a/${kind}/${id.toLowerCase()}`;
}
