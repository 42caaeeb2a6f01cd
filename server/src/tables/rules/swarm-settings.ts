import { DEFAULT_MAXIMA, type RunMaxima } from "../../agents/index.ts";
import { isRecord } from "../../json/index.ts";
import {
  type Bounds,
  type Fault,
  FINE,
  type Field,
  fault,
  field,
  nullable,
  type PresentValue,
  type Row,
  type Value,
  valueOf,
} from "../fields/field.ts";
import { boolean, integer, isBetween, number } from "../fields/plain-fields.ts";
import { text } from "../fields/text-field.ts";

const COST_MAX_USD = 999_999_999;
const BLOCKLIST_MAX_TERMS = 1_000;
const TERM_MAX_CHARACTERS = 200;
const ANY_TOKENS: Bounds = { min: 0, max: Number.MAX_SAFE_INTEGER };
const ANY_COST: Bounds = { min: 0, max: COST_MAX_USD };

const BUDGET: Readonly<Record<string, Field>> = {
  max_tokens: nullable(integer(ANY_TOKENS)),
  max_cost_usd: nullable(number(ANY_COST)),
  max_tokens_per_day: nullable(integer(ANY_TOKENS)),
  max_cost_usd_per_day: nullable(number(ANY_COST)),
};

const MODERATION: Readonly<Record<string, Field>> = {
  enabled: boolean(),
  blocklist: field(checkTerms),
  action: oneOf("flag", "block"),
};

/** The known keys of `swarms.settings`; other keys are kept unchanged. The database has the same bounds, or the widest that an operator can permit. */
const SWARM_SETTINGS: Readonly<Record<string, Field>> = {
  max_turns: integer({ min: 1, max: 50 }),
  max_rounds: integer({ min: 1, max: 10 }),
  ...limitedBy(DEFAULT_MAXIMA),
  history_limit: integer({ min: 1, max: 500 }),
  on_agent_error: oneOf("continue", "stop"),
  on_conflict: oneOf("enqueue", "reject", "interrupt"),
  budget: nullable(object(BUDGET)),
  moderation: object(MODERATION),
  preamble: text({ min: 0, max: 4_000 }),
  auto_respond: boolean(),
};

export function isSwarmSetting(name: string): boolean {
  return Object.hasOwn(SWARM_SETTINGS, name);
}

export function checkSwarmSettings(maxima: RunMaxima): (settings: Row) => readonly Fault[] {
  const members = { ...SWARM_SETTINGS, ...limitedBy(maxima) };
  return (settings) => checkMembers(members, settings);
}

/** What the operator permits. */
function limitedBy({ maxToolSteps, maxToolCalls, timeoutMs }: RunMaxima): Readonly<Record<string, Field>> {
  return {
    max_tool_steps: integer({ min: 1, max: maxToolSteps }),
    max_tool_calls: integer({ min: 1, max: maxToolCalls }),
    timeout_ms: integer({ min: 1_000, max: timeoutMs }),
  };
}

function object(members: Readonly<Record<string, Field>>): Field {
  return field((value) => (isRecord(value) ? checkMembers(members, value) : fault("must be a JSON object")));
}

function checkMembers(
  members: Readonly<Record<string, Field>>,
  value: Readonly<Record<string, Value>>,
): readonly Fault[] {
  return Object.entries(members).flatMap(([name, { nulls, check }]) => {
    const member = valueOf(value, name);
    if (member === undefined || (member === null && nulls === "always")) return FINE;
    // A null that is not allowed has the wrong type.
    const faults = check(member as PresentValue);
    return faults.map((found) => ({ ...found, path: found.path === "" ? name : `${name}.${found.path}` }));
  });
}

function oneOf(...allowed: readonly string[]): Field {
  return field((value) =>
    typeof value === "string" && allowed.includes(value) ? FINE : fault(`must be one of ${allowed.join(", ")}`),
  );
}

function checkTerms(value: Value): readonly Fault[] {
  const isList =
    Array.isArray(value) &&
    value.every((term) => {
      const length = typeof term === "string" ? Array.from(term.trim()).length : 0;
      return isBetween(length, 1, TERM_MAX_CHARACTERS);
    });
  if (!isList) return fault(`must be an array of texts of 1 to ${TERM_MAX_CHARACTERS} characters`);
  return value.length <= BLOCKLIST_MAX_TERMS ? FINE : fault(`must have at most ${BLOCKLIST_MAX_TERMS} entries`);
}
