import { isRecord } from "../../../json/index.ts";
import type { ProviderProtocol } from "../provider-protocol.ts";
import { createSimulatedAdapter, type Pace } from "./simulated-adapter.ts";

const NO_EFFECT = "no effect: the provider is simulated";

/** The kind `simulated`, which needs no extension. */
export function createSimulatedProtocol(pace: Pace): ProviderProtocol<"simulated"> {
  const adapter = createSimulatedAdapter(pace);
  return {
    kind: "simulated",
    cachePrices: { read: 0, write: 0 },
    minOutputTokens: 1,
    acceptsBlankStop: true,
    mapSeed(_seed, warn) {
      warn("seed", NO_EFFECT);
      return null;
    },
    mapReasoning(_settings, { warn }) {
      warn("reasoning_effort", NO_EFFECT);
      warn("thinking", NO_EFFECT);
      return { sent: {}, extraTokens: 0, budgetTokens: 0 };
    },
    // The adapter reads the schema from the settings.
    mapResponseSchema: () => ({}),
    mapResponseFormat(format, { warn }) {
      if (!isRecord(format) || format["type"] !== "text") warn("response_format", NO_EFFECT);
      return {};
    },
    open: () => adapter,
  };
}
