import type { RunStopReason, SwarmStatus, SwarmStrategy } from "@swarmbase/sdk";

interface StrategyWords {
  readonly label: string;
  /** Who answers, and until when. */
  readonly text: string;
  /** One agent leads, and it matters which. */
  readonly hasCoordinator: boolean;
}

export const STRATEGY_WORDS = {
  round_robin: {
    label: "In turn",
    text: "Every agent answers, one after another, and reads what was said before it.",
    hasCoordinator: false,
  },
  parallel: {
    label: "All at once",
    text: "Every agent answers the same question at the same time, without reading the others.",
    hasCoordinator: false,
  },
  mention: {
    label: "Who is mentioned",
    text: "Only agents named with @ answer. When nobody is named, the coordinator does.",
    hasCoordinator: true,
  },
  handoff: {
    label: "Hand over",
    text: "The coordinator begins and may hand the question to another agent, who may hand it on.",
    hasCoordinator: true,
  },
  selector: {
    label: "Coordinator picks",
    text: "Before every turn the coordinator picks who speaks next, until it says that all is said.",
    hasCoordinator: true,
  },
  supervisor: {
    label: "Coordinator asks",
    text: "The coordinator asks others for their part and writes the answer itself.",
    hasCoordinator: true,
  },
} as const satisfies Record<SwarmStrategy, StrategyWords>;

export const STATUS_WORDS = {
  active: "Active",
  paused: "Paused",
  completed: "Completed",
  archived: "Archived",
} as const satisfies Record<SwarmStatus, string>;

/** Why somebody flags a message. Other words may come from elsewhere, and are shown as they are. */
export const FLAG_WORDS = {
  wrong: "It is wrong",
  tone: "Its tone",
  harmful: "It is harmful",
  private: "It tells something private",
  spam: "It is spam",
  other: "Something else",
} as const;

export const STOP_WORDS = {
  all_replied: "Everybody who was to answer has answered.",
  no_reply_needed: "Nobody had anything to say.",
  max_turns: "The limit of turns was reached. What was said stands.",
  max_tool_steps: "The limit of tool steps was reached. What was said stands.",
  budget_exceeded: "No further call fitted the budget.",
  timeout: "The time for the run was over.",
  loop_detected: "The agents went round in a circle, so the run was ended.",
  no_progress: "An agent repeated itself, so the run was ended.",
  cancelled: "Somebody stopped it. What was said by then is kept.",
  interrupted: "A newer question took its place.",
  starter_removed: "The user who started it may no longer start runs here. What was said by then is kept.",
  provider_error: "The model failed, also after trying again.",
  content_filtered: "The provider of the model held the answer back.",
  approval_expired: "Nobody decided about a tool call in time.",
  worker_lost: "The node that carried it out went away. What was said by then is kept.",
} as const satisfies Record<RunStopReason, string>;
