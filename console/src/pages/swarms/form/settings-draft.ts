import type { SwarmBudget, SwarmSettings } from "@swarmbase/sdk";

interface LimitRow {
  readonly label: string;
  readonly hint: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** The stored value is the typed value times this factor. */
  readonly factor: number;
}

/** The settings of a swarm that limit a run. The service validates the values. */
export const LIMITS = {
  max_turns: {
    label: "Turns in a run",
    hint: "Replies of all agents together.",
    default: 10,
    min: 1,
    max: 50,
    factor: 1,
  },
  max_rounds: {
    label: "Rounds",
    hint: "How often each agent replies with the strategy “In turn”.",
    default: 1,
    min: 1,
    max: 10,
    factor: 1,
  },
  max_tool_steps: {
    label: "Tool steps in a turn",
    hint: "After them the model must reply without tools.",
    default: 8,
    min: 1,
    max: 25,
    factor: 1,
  },
  max_tool_calls: {
    label: "Tool calls in a run",
    hint: "Of all agents together.",
    default: 50,
    min: 1,
    max: 50,
    factor: 1,
  },
  timeout_ms: {
    label: "Seconds for a run",
    hint: "Waiting for an approval does not count.",
    default: 120,
    min: 1,
    max: 600,
    factor: 1_000,
  },
  history_limit: {
    label: "Messages read",
    hint: "The newest messages that an agent reads; fewer if they exceed its context window.",
    default: 50,
    min: 1,
    max: 500,
    factor: 1,
  },
} as const satisfies Record<string, LimitRow>;

type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as readonly LimitName[];

export const BUDGETS = {
  max_tokens: { label: "Tokens in a run", unit: "tokens" },
  max_cost_usd: { label: "Cost of a run", unit: "USD" },
  max_tokens_per_day: { label: "Tokens in a day", unit: "tokens" },
  max_cost_usd_per_day: { label: "Cost of a day", unit: "USD" },
} as const satisfies Record<keyof SwarmBudget, { label: string; unit: string }>;

type BudgetName = keyof typeof BUDGETS;
export const BUDGET_NAMES = Object.keys(BUDGETS) as readonly BudgetName[];

/** The typed values: an empty field means the default, or no limit. */
export interface SettingsDraft {
  readonly limits: Readonly<Record<LimitName, string>>;
  readonly budget: Readonly<Record<BudgetName, string>>;
  readonly onAgentError: "continue" | "stop";
  readonly onConflict: "enqueue" | "reject" | "interrupt";
  readonly autoRespond: boolean;
  readonly isModerated: boolean;
  readonly moderationAction: "flag" | "block";
  /** One term per line. */
  readonly blocklist: string;
  /** Null means the preamble of the service. */
  readonly preamble: string | null;
}

export function toDraft(settings: SwarmSettings): SettingsDraft {
  const numberText = (value: unknown, factor = 1): string => (typeof value === "number" ? String(value / factor) : "");
  return {
    limits: mapNames(LIMIT_NAMES, (name) => numberText(settings[name], LIMITS[name].factor)),
    budget: mapNames(BUDGET_NAMES, (name) => numberText(settings.budget?.[name])),
    onAgentError: settings.on_agent_error ?? "continue",
    onConflict: settings.on_conflict ?? "enqueue",
    autoRespond: settings.auto_respond ?? false,
    isModerated: settings.moderation?.enabled ?? false,
    moderationAction: settings.moderation?.action ?? "flag",
    blocklist: (settings.moderation?.blocklist ?? []).join("\n"),
    preamble: settings.preamble ?? null,
  };
}

/** Keeps keys that the form does not know, because a write replaces the whole object. */
export function toSettings(draft: SettingsDraft, before: SwarmSettings): SwarmSettings {
  const settings: SwarmSettings = { ...before };
  for (const name of LIMIT_NAMES) setOrRemove(settings, name, draft.limits[name], LIMITS[name].factor);
  const budget: Record<string, unknown> = { ...before.budget };
  for (const name of BUDGET_NAMES) setOrRemove(budget, name, draft.budget[name], 1);
  if (Object.keys(budget).length > 0) settings.budget = budget;
  else delete settings.budget;
  settings.on_agent_error = draft.onAgentError;
  settings.on_conflict = draft.onConflict;
  settings.auto_respond = draft.autoRespond;
  if (draft.preamble === null) delete settings.preamble;
  else settings.preamble = draft.preamble;
  const blocklist = draft.blocklist
    .split("\n")
    .map((term) => term.trim())
    .filter((term) => term !== "");
  if (draft.isModerated || blocklist.length > 0 || before.moderation !== undefined)
    settings.moderation = {
      ...before.moderation,
      enabled: draft.isModerated,
      action: draft.moderationAction,
      blocklist,
    };
  return settings;
}

function setOrRemove(target: Record<string, unknown>, name: string, text: string, factor: number): void {
  if (text.trim() === "") delete target[name];
  // Text that is not a number is sent as typed, so that the service reports the error for its field.
  else target[name] = Number.isNaN(Number(text)) ? text : Number(text) * factor;
}

function mapNames<Name extends string>(names: readonly Name[], read: (name: Name) => string): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
}
