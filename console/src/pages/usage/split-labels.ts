import type { UsageSplit } from "../../data/usage.ts";

export const SPLIT_WORDS: Readonly<Record<UsageSplit, string>> = { agent: "Agent", swarm: "Swarm", model: "Model" };

/** What used something once and has been removed since. */
export const GONE_WORDS: Readonly<Record<UsageSplit, string>> = {
  agent: "An agent that is gone",
  swarm: "A swarm that is gone",
  model: "A model that is gone",
};
