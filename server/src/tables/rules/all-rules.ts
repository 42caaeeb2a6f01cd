import { agents as agentRule } from "./agent-rules.ts";
import { AGENT_GRANTS } from "./grant-rules.ts";
import { guardrails } from "./guardrail-rules.ts";
import { EVAL_CASES, EVAL_DATASETS, EVAL_RESULTS, EVAL_RUNS } from "./eval-rules.ts";
import { MESSAGE_FLAGS, MESSAGES, READ_POSITIONS } from "./message-rules.ts";
import { PROFILES, USER_SETTINGS } from "./people-rules.ts";
import { SWARM_AGENTS, SWARM_MEMBERS, SWARMS } from "./swarm-rules.ts";
import type { TableRule } from "./table-rule.ts";
import { AGENT_TOOLS, type ToolChecks, tools as toolRule } from "./tool-rules.ts";
import { webhooks } from "./webhook-rules.ts";
import type { FindUrlFault } from "./webhook-url.ts";

export interface RulePorts {
  readonly findUrlFault: FindUrlFault;
  readonly tools: ToolChecks | null;
}

/** By name of the table. */
export function allRules({ findUrlFault, tools }: RulePorts): ReadonlyMap<string, TableRule> {
  const rules = [
    agentRule(tools),
    toolRule(tools),
    AGENT_TOOLS,
    AGENT_GRANTS,
    webhooks(findUrlFault),
    SWARMS,
    SWARM_MEMBERS,
    SWARM_AGENTS,
    MESSAGES,
    MESSAGE_FLAGS,
    READ_POSITIONS,
    guardrails(tools),
    PROFILES,
    USER_SETTINGS,
    EVAL_DATASETS,
    EVAL_CASES,
    EVAL_RUNS,
    EVAL_RESULTS,
  ];
  return new Map(rules.map((rule): [string, TableRule] => [rule.name, rule]));
}
