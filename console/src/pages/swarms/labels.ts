import type { SwarmStatus, SwarmStrategy } from "@swarmbase/sdk";

interface StrategyLabels {
  readonly label: string;
  readonly text: string;
  readonly hasCoordinator: boolean;
}

export const STRATEGY_LABELS = {
  round_robin: {
    label: "In turn",
    text: "All agents answer one after another, and each reads the earlier replies.",
    hasCoordinator: false,
  },
  parallel: {
    label: "All at once",
    text: "All agents answer at the same time, without reading the other replies.",
    hasCoordinator: false,
  },
  mention: {
    label: "Who is mentioned",
    text: "Only agents that are mentioned with @ answer; without a mention, the coordinator answers.",
    hasCoordinator: true,
  },
  handoff: {
    label: "Hand over",
    text: "The coordinator starts and can hand the question over to another agent, which can hand it over again.",
    hasCoordinator: true,
  },
  selector: {
    label: "Coordinator picks",
    text: "Before each turn the coordinator selects the next agent, until it ends the run.",
    hasCoordinator: true,
  },
  supervisor: {
    label: "Coordinator asks",
    text: "The coordinator calls other agents and writes the answer itself.",
    hasCoordinator: true,
  },
} as const satisfies Record<SwarmStrategy, StrategyLabels>;

export const STATUS_LABELS = {
  active: "Active",
  paused: "Paused",
  completed: "Completed",
  archived: "Archived",
} as const satisfies Record<SwarmStatus, string>;

/** The categories of flags. Categories of other applications are shown unchanged. */
export const FLAG_LABELS = {
  wrong: "It is wrong",
  tone: "Its tone is inappropriate",
  harmful: "It is harmful",
  private: "It contains private information",
  spam: "It is spam",
  other: "Something else",
} as const;
