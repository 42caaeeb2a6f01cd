import type { Framework } from "@swarmbase/sdk";
import type { OfferedModels, ProviderKind } from "../../config/index.ts";

/** The provider of one framework. */
export interface Provider {
  readonly framework: Framework;
  readonly kind: ProviderKind;
  /** `keyless`: configured without the key that it needs. */
  readonly state: "ready" | "keyless" | "unconfigured";
  readonly baseUrl: string | null;
  /** Where it was found, for people; null when the operator has configured it. */
  readonly origin: string | null;
  /** Why what was found for the framework is not used. */
  readonly detectionFault: string | null;
  /** A function, so that printing a provider does not print its key. */
  readonly key: () => string | null;
  readonly offered: OfferedModels;
  readonly fallback: readonly Framework[];
  /** False means that prompts are not marked for the cache of the provider. */
  readonly isCachingPrompts: boolean;
  /** Summaries of the reasoning are requested where the vendor sends them only then. */
  readonly hasReasoningSummaries: boolean;
}

/** Whether calls can go to the provider when another one fails: none falls back to the simulated one. */
export function mayBeFallback({ kind, state, offered }: Provider): boolean {
  return state === "ready" && kind !== "simulated" && offered.defaultModel !== "";
}

export type Providers = Readonly<Record<Framework, Provider>>;
