import type { RunStopReason, SwarmStatus, SwarmStrategy } from "@swarmbase/sdk";

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

export const STOP_LABELS = {
  all_replied: "All agents have answered.",
  no_reply_needed: "No agent needed to reply.",
  max_turns: "The maximum number of turns was reached. Messages so far are kept.",
  max_tool_steps: "The maximum number of tool steps was reached. Messages so far are kept.",
  budget_exceeded: "The budget was used up.",
  timeout: "The run exceeded its time limit.",
  loop_detected: "The run was ended because the agents handed over in a loop.",
  no_progress: "The run was ended because an agent repeated itself.",
  cancelled: "A user cancelled the run. Messages so far are kept.",
  interrupted: "A newer question interrupted the run.",
  starter_removed: "The user who started it may no longer start runs here. Messages so far are kept.",
  provider_error: "The model call failed after all retries.",
  content_filtered: "The content filter of the provider blocked the answer.",
  approval_expired: "A tool call waited too long for an approval or for the app.",
  worker_lost: "The node that executed the run stopped. Messages so far are kept.",
} as const satisfies Record<RunStopReason, string>;
