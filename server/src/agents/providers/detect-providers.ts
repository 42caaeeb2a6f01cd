import { isLoopbackHost } from "@swarmbase/guarded-fetch";
import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import type { Environment, Settings, VendorKind } from "../../config/index.ts";
import { baseUrlOf, isKey, VENDORS } from "./known-vendors.ts";

/** The models of an Ollama that runs on this machine. */
export interface FoundOllama {
  readonly baseUrl: string;
  /** The first one is the default; never empty. */
  readonly models: readonly string[];
}

/** What was found for a framework, as its settings would describe it. */
export interface DetectedProvider {
  readonly kind: VendorKind;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly models: readonly string[];
  /** Where it was found, for people. */
  readonly origin: string;
}

interface Detection {
  readonly found: Readonly<Partial<Record<Framework, DetectedProvider>>>;
  /** Why a variable with a key is not used. Without its value. */
  readonly faults: Readonly<Partial<Record<Framework, string>>>;
}

/** Only for a service that nobody but its developer uses: whoever sets the variable for another program should not pay for others. */
export function mayDetect({ providerDetection, host, nodeEnv }: Settings): boolean {
  return providerDetection && nodeEnv !== "production" && isLoopbackHost(host);
}

/** Finds providers by the variables that the vendors' own programs read. For use where no provider is configured. */
export function detectProviders(settings: Settings, environment: Environment, ollama: FoundOllama | null): Detection {
  const found: Partial<Record<Framework, DetectedProvider>> = {};
  const faults: Partial<Record<Framework, string>> = {};
  if (!mayDetect(settings)) return { found, faults };
  for (const framework of FRAMEWORKS) {
    const { kind, keyVariable, urlVariable } = VENDORS[framework];
    // A file that a key comes from usually ends in a line break.
    const apiKey = environment[keyVariable]?.trim() ?? "";
    if (apiKey === "") continue;
    const baseUrl = baseUrlOf(framework, environment);
    if (!isKey(apiKey)) faults[framework] = `${keyVariable} is not used: it has spaces or characters that no key has`;
    else if (baseUrl === undefined) faults[framework] = `${keyVariable} is not used: ${urlVariable} is no http address`;
    else found[framework] = { kind, baseUrl, apiKey, models: [], origin: `key of ${keyVariable}` };
  }
  if (ollama !== null)
    found.provider_a ??= { kind: "openai-compatible", apiKey: null, origin: "Ollama on this machine", ...ollama };
  return { found, faults };
}
