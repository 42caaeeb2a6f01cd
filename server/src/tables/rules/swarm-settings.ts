import { isRecord } from "../../json/index.ts";
import type { Fault, Row, Value } from "../fields/field.ts";
import { describeRange, isBetween, type NumberBounds } from "../fields/plain-fields.ts";

/** A fault of a value, and its path. */
type Check = (value: Value) => readonly Found[];
type Found = readonly [path: string, message: string];

const COST_MAX_USD = 999_999_999;
const BLOCKLIST_MAX_TERMS = 1_000;
const TERM_MAX_CHARACTERS = 200;

const BUDGET: Readonly<Record<string, Check>> = {
  max_tokens: orNull(wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  max_cost_usd: orNull(amount({ min: 0, max: COST_MAX_USD })),
  max_tokens_per_day: orNull(wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  max_cost_usd_per_day: orNull(amount({ min: 0, max: COST_MAX_USD })),
};

const MODERATION: Readonly<Record<string, Check>> = {
  enabled: truth,
  blocklist: terms,
  action: oneOf("flag", "block"),
};

/** The known keys of `swarms.settings`; other keys are kept unchanged. The database has the same bounds. */
const SWARM_SETTINGS = {
  max_turns: wholeNumber({ min: 1, max: 50 }),
  max_rounds: wholeNumber({ min: 1, max: 10 }),
  max_tool_steps: wholeNumber({ min: 1, max: 25 }),
  timeout_ms: wholeNumber({ min: 1_000, max: 600_000 }),
  history_limit: wholeNumber({ min: 1, max: 500 }),
  on_agent_error: oneOf("continue", "stop"),
  on_conflict: oneOf("enqueue", "reject", "interrupt"),
  budget: orNull(members(BUDGET)),
  moderation: members(MODERATION),
  auto_respond: truth,
} as const satisfies Record<string, Check>;

export function isSwarmSetting(name: string): boolean {
  return Object.hasOwn(SWARM_SETTINGS, name);
}

const checkMembers = members(SWARM_SETTINGS);

export function checkSwarmSettings(settings: Row): readonly Fault[] {
  return checkMembers(settings).map(([path, message]) => ({ path, message, code: null }));
}

function members(checks: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (!isRecord(value)) return [["", "must be a JSON object"]];
    return Object.entries(checks).flatMap(([name, check]) => {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      if (member === undefined) return [];
      return check(member).map(([path, message]): Found => [path === "" ? name : `${name}.${path}`, message]);
    });
  };
}

function orNull(check: Check): Check {
  return (value) => (value === null ? [] : check(value));
}

function wholeNumber(bounds: NumberBounds): Check {
  const check = amount(bounds);
  return (value) => (Number.isInteger(value) ? check(value) : [["", "must be an integer"]]);
}

function amount({ min, max }: NumberBounds): Check {
  return (value) => {
    if (typeof value !== "number") return [["", "must be a number"]];
    return isBetween(value, min, max) ? [] : [["", describeRange(min, max)]];
  };
}

function oneOf(...allowed: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && allowed.includes(value) ? [] : [["", `must be one of ${allowed.join(", ")}`]];
}

function truth(value: Value): readonly Found[] {
  return typeof value === "boolean" ? [] : [["", "must be true or false"]];
}

function terms(value: Value): readonly Found[] {
  const isList =
    Array.isArray(value) &&
    value.every((term) => {
      const length = typeof term === "string" ? Array.from(term.trim()).length : 0;
      return isBetween(length, 1, TERM_MAX_CHARACTERS);
    });
  if (!isList) return [["", `must be an array of texts of 1 to ${TERM_MAX_CHARACTERS} characters`]];
  return value.length <= BLOCKLIST_MAX_TERMS ? [] : [["", `must have at most ${BLOCKLIST_MAX_TERMS} entries`]];
}
