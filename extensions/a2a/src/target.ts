import type { ExtensionCaller, ExtensionContext, ExtensionCore } from "swarmbase/extension";

/** What tokens of programs are for (RFC 8707). */
export const RESOURCE = "/a2a";

/** The agent or swarm that an endpoint stands for. */
export interface Target {
  readonly kind: "agents" | "swarms";
  readonly id: string;
}

/** What cards are made of. */
export interface CardSource extends Pick<ExtensionContext, "restAsService" | "now"> {
  /** Null without a caller: the cards are those that everybody may see. */
  readonly core: Pick<ExtensionCore, "rest"> | null;
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
  readonly caller: ExtensionCaller;
  readonly connectUrl: ExtensionContext["connectUrl"];
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export function endpointOf(baseUrl: string, { kind, id }: Target): string {
  return `${baseUrl}${RESOURCE}/${kind}/${id.toLowerCase()}`;
}
