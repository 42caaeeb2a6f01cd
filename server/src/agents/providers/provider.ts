import type { Framework } from "@swarmbase/sdk";
import type { OfferedModels, ProviderKind } from "../../config/index.ts";

/** Who answers for one framework. */
export interface Provider {
  readonly framework: Framework;
  readonly kind: ProviderKind;
  /** `keyless`: described, but the key that it needs is not there. */
  readonly state: "ready" | "keyless" | "unconfigured";
  readonly baseUrl: string | null;
  /** A function, so that nobody who prints a provider prints its key. */
  readonly key: () => string | null;
  readonly offered: OfferedModels;
  readonly fallback: readonly Framework[];
}

export type Providers = Readonly<Record<Framework, Provider>>;
