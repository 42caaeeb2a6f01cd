import type { UsageSplit } from "../../data/usage.ts";

export const SPLIT_LABELS: Readonly<Record<UsageSplit, string>> = { agent: "Agent", swarm: "Swarm", model: "Model" };

/** Labels for deleted rows. */
export const GONE_LABELS: Readonly<Record<UsageSplit, string>> = {
  agent: "A deleted agent",
  swarm: "A deleted swarm",
  model: "An unknown model",
};
