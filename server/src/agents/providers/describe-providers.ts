import type { Providers } from "./provider.ts";

/** One line for each framework, for the banner. Never a key, nor an address: those may hold one. */
export function describeProviders(providers: Providers): readonly string[] {
  return Object.values(providers).map(({ framework, kind, state, offered }) => {
    switch (state) {
      case "unconfigured":
        return `${framework}: not configured, its agents cannot answer`;
      case "keyless":
        return `${framework}: ${kind}, but its API key is missing, its agents cannot answer`;
      case "ready":
        return kind === "simulated"
          ? `${framework}: SIMULATED, replies begin with [simulated] and come from no model`
          : `${framework}: ${kind}, ${offered.defaultModel} by default`;
    }
  });
}
