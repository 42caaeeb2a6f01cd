import { AGENT_TOOLS, AGENTS, TOOLS } from "./agent-rules.ts";
import { MESSAGE_FLAGS, MESSAGES } from "./message-rules.ts";
import { PROFILES, USER_SETTINGS } from "./people-rules.ts";
import { SWARM_AGENTS, SWARM_MEMBERS, SWARMS } from "./swarm-rules.ts";
import type { TableRule } from "./table-rule.ts";
import { webhooks } from "./webhook-rules.ts";
import type { FindUrlFault } from "./webhook-url.ts";

/** By name of the table. */
export function allRules(findUrlFault: FindUrlFault): ReadonlyMap<string, TableRule> {
  const rules = [
    AGENTS,
    TOOLS,
    AGENT_TOOLS,
    webhooks(findUrlFault),
    SWARMS,
    SWARM_MEMBERS,
    SWARM_AGENTS,
    MESSAGES,
    MESSAGE_FLAGS,
    PROFILES,
    USER_SETTINGS,
  ];
  return new Map(rules.map((rule): [string, TableRule] => [rule.name, rule]));
}
