import type { RunMaxima } from "../../agents/index.ts";
import { type AddedTable, addedRule } from "./added-rule.ts";
import { agentRule } from "./agent-rule.ts";
import { AGENT_GRANT_RULE } from "./agent-grant-rule.ts";
import { guardrailRule } from "./guardrail-rule.ts";
import { eventTypeRule } from "./event-type-rule.ts";
import { EVAL_CASES, EVAL_DATASETS, EVAL_RESULTS, EVAL_RUNS } from "./eval-rules.ts";
import { MESSAGE_FLAGS, MESSAGES, READ_POSITIONS } from "./message-rules.ts";
import { PROFILES, USER_SETTINGS } from "./people-rules.ts";
import { SWARM_AGENTS, SWARM_MEMBERS, swarmRule } from "./swarm-rules.ts";
import type { TableRule } from "./table-rule.ts";
import { AGENT_TOOLS, type ToolRuleChecks, toolRule } from "./tool-rules.ts";
import { EVENT_FEEDS, webhookRule } from "./webhook-rules.ts";
import type { FindUrlFault } from "./find-webhook-url-fault.ts";

interface RulePorts {
  readonly findUrlFault: FindUrlFault;
  readonly tools: ToolRuleChecks | null;
  /** Of extensions. */
  readonly added?: readonly AddedTable[];
  readonly runMaxima: RunMaxima;
}

/** By name of the table. */
export function allRules({ findUrlFault, tools, added = [], runMaxima }: RulePorts): ReadonlyMap<string, TableRule> {
  const rules = [
    agentRule(tools),
    toolRule(tools),
    AGENT_TOOLS,
    AGENT_GRANT_RULE,
    webhookRule(findUrlFault),
    EVENT_FEEDS,
    eventTypeRule(tools),
    swarmRule(runMaxima),
    SWARM_MEMBERS,
    SWARM_AGENTS,
    MESSAGES,
    MESSAGE_FLAGS,
    READ_POSITIONS,
    guardrailRule(tools),
    PROFILES,
    USER_SETTINGS,
    EVAL_DATASETS,
    EVAL_CASES,
    EVAL_RUNS,
    EVAL_RESULTS,
    ...added.map(addedRule),
  ];
  return new Map(rules.map((rule): [string, TableRule] => [rule.name, rule]));
}
