import type { Settings } from "../../config/index.ts";
import { isRecord } from "../../json/index.ts";

export interface RunLimits {
  readonly maxTurns: number;
  readonly maxRounds: number;
  readonly maxToolSteps: number;
  readonly maxToolCalls: number;
  readonly timeoutMs: number;
  readonly historyLimit: number;
  readonly onAgentError: "continue" | "stop";
}

interface Bound {
  readonly key: string;
  readonly min: number;
  readonly default: number;
  readonly max: number;
}

export const RUN_LIMIT_BOUNDS = {
  maxTurns: { key: "max_turns", min: 1, default: 10, max: 50 },
  maxRounds: { key: "max_rounds", min: 1, default: 1, max: 10 },
  maxToolSteps: { key: "max_tool_steps", min: 1, default: 8, max: 25 },
  maxToolCalls: { key: "max_tool_calls", min: 1, default: 50, max: 50 },
  timeoutMs: { key: "timeout_ms", min: 1000, default: 120_000, max: 600_000 },
  historyLimit: { key: "history_limit", min: 1, default: 50, max: 500 },
} as const satisfies Record<string, Bound>;

/** What the operator permits, instead of the bounds above. */
export type RunMaxima = Pick<RunLimits, "maxToolSteps" | "maxToolCalls" | "timeoutMs">;

export const DEFAULT_MAXIMA: RunMaxima = {
  maxToolSteps: RUN_LIMIT_BOUNDS.maxToolSteps.max,
  maxToolCalls: RUN_LIMIT_BOUNDS.maxToolCalls.max,
  timeoutMs: RUN_LIMIT_BOUNDS.timeoutMs.max,
};

export function readRunMaxima(settings: Settings): RunMaxima {
  return {
    maxToolSteps: settings.agentRunMaxToolSteps,
    maxToolCalls: settings.agentRunMaxCalls,
    timeoutMs: settings.agentRunMaxSeconds * 1_000,
  };
}

/** `swarms.settings` is not validated: a number out of bounds is clamped, and any other value means the default. */
export function readRunLimits(swarmSettings: unknown, request: unknown, maxima = DEFAULT_MAXIMA): RunLimits {
  const settings = recordOf(swarmSettings);
  const permitted = (name: keyof RunMaxima): number => {
    const { key, min, default: usual } = RUN_LIMIT_BOUNDS[name];
    const max = maxima[name];
    return numberOf(settings, { key, min, default: Math.min(usual, max), max });
  };
  return {
    maxTurns: turnsOf(settings, recordOf(request)),
    maxRounds: numberOf(settings, RUN_LIMIT_BOUNDS.maxRounds),
    maxToolSteps: permitted("maxToolSteps"),
    maxToolCalls: permitted("maxToolCalls"),
    timeoutMs: permitted("timeoutMs"),
    historyLimit: numberOf(settings, RUN_LIMIT_BOUNDS.historyLimit),
    onAgentError: settings.get("on_agent_error") === "stop" ? "stop" : "continue",
  };
}

/** A request can lower the limit of the swarm. It can exceed the default only when the swarm sets no limit. */
function turnsOf(settings: ReadonlyMap<string, unknown>, request: ReadonlyMap<string, unknown>): number {
  const bound = RUN_LIMIT_BOUNDS.maxTurns;
  const allowed = isNumber(settings.get(bound.key)) ? numberOf(settings, bound) : bound.max;
  return Math.min(numberOf(request, { ...bound, default: numberOf(settings, bound) }), allowed);
}

function numberOf(record: ReadonlyMap<string, unknown>, bound: Bound): number {
  const value = record.get(bound.key);
  return isNumber(value) ? Math.min(bound.max, Math.max(bound.min, Math.trunc(value))) : bound.default;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function recordOf(value: unknown): ReadonlyMap<string, unknown> {
  return isRecord(value) ? new Map(Object.entries(value)) : new Map();
}
