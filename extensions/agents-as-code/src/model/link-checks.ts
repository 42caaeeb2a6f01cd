import { GRANT_AUDIENCES, GRANT_PARTIES, type Json, type JsonObject, SWARM_ROLES } from "@swarmbase/sdk";
import {
  boolean,
  type Check,
  choice,
  FINE,
  fault,
  jsonObject,
  pattern,
  text,
  type ValueFault,
  within,
} from "./checks.ts";
import { GRANT_TERMS } from "./grant-terms.ts";
import { isObject, memberOf } from "./json.ts";
import { KEY, KEY_RULE, UUID } from "./keys.ts";
import { findReferences } from "./references.ts";

const TOOL_REFERENCE = /^(?:[a-z0-9][a-z0-9_-]{0,62}|(?:builtin|shared)\/[A-Za-z0-9_-]{1,64})$/;
const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_SECRETS = 20;
const email = pattern(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address");
const user = pattern(UUID, "must be the id of a user");

const keyOf =
  (noun: string): Check =>
  (value) =>
    typeof value === "string" && KEY.test(value) ? FINE : fault(`must be the key of ${noun}: ${KEY_RULE}`);
export const agentKey = keyOf("an agent");
export const swarmKey = keyOf("a swarm");
export const rowId = pattern(UUID, "must be a UUID");

/** A value in a file would be a secret in version control. */
export const secrets: Check = (value) => {
  if (!isObject(value)) return fault("must be a mapping of names to references");
  const entries = Object.entries(value);
  if (entries.length > MAX_SECRETS) return fault(`must have at most ${MAX_SECRETS} entries`);
  return entries.flatMap(([name, secret]) => {
    if (!SECRET_NAME.test(name)) return fault("has a name that is not made of letters, digits, _ and -", [name]);
    const isReference = typeof secret === "string" && findReferences(secret).length > 0;
    return isReference ? FINE : fault(`must be a reference such as $\{env:API_TOKEN}, not the secret itself`, [name]);
  });
};

const ASSIGNMENT = {
  enabled: boolean,
  configuration: jsonObject("agent_tools.configuration"),
  approver: nullable(choice(GRANT_PARTIES)),
};

/** `tools` of an agent: which tool, and how it is assigned. */
export const assignments: Check = (value) => {
  if (!isObject(value)) return fault("must be a mapping of tools to assignments, such as `find_order: {}`");
  return Object.entries(value).flatMap(([reference, assignment]) => {
    if (!TOOL_REFERENCE.test(reference))
      return fault("must be the key of a tool, builtin/<name>, shared/<name> or shared/<id>", [reference]);
    if (assignment === null || assignment === undefined) return FINE;
    return within(reference, checkMembers(assignment, ASSIGNMENT, []));
  });
};

/** `agents` of a swarm, in the order in which they speak. */
export const swarmAgents: Check = entries({
  message: "must be a list of agents, such as `- agent: ada`",
  checks: { agent: agentKey, enabled: boolean, role_override: nullable(text("swarm_agents.role_override")) },
  required: ["agent"],
  identify: (entry) => entry["agent"],
});

export const members: Check = entries({
  message: "must be a list of people, such as `- email: ann@example.com`",
  checks: { email, user, role: choice(SWARM_ROLES.filter((each) => each !== "owner")) },
  find: (entry) =>
    (entry["email"] === undefined) === (entry["user"] === undefined) ? "must have either email or user" : null,
  identify: (entry) => (typeof entry["email"] === "string" ? entry["email"].toLowerCase() : entry["user"]),
});

/** `grants` of an agent: who may ask it, and on which terms. */
export const grants: Check = entries({
  message: "must be a list of grants, such as `- audience: everyone`",
  checks: {
    audience: choice(GRANT_AUDIENCES),
    claim: (value) =>
      isObject(value) && Object.keys(value).length > 0 ? FINE : fault("must be a mapping that is not empty"),
    email,
    user,
    ...Object.fromEntries(Object.entries(GRANT_TERMS).map(([name, term]) => [name, term.check])),
  },
  required: ["audience"],
  find: (entry) => {
    const named = ["claim", "email", "user"].filter((name) => Object.hasOwn(entry, name));
    const needed = entry["audience"] === "claim" ? ["claim"] : entry["audience"] === "user" ? ["email", "user"] : [];
    const isFit = named.length === Math.min(needed.length, 1) && named.every((name) => needed.includes(name));
    return isFit
      ? null
      : "must have a claim for the audience claim, email or user for user, and none of them for everyone";
  },
  identify: describeAudience,
});

/** `everyone`, `claim {"plan":"pro"}` or `ann@example.com`. */
export function describeAudience(entry: Json): string {
  const [audience, claim, address] = ["audience", "claim", "email"].map((name) => memberOf(entry, name));
  if (audience === "claim") return `claim ${JSON.stringify(claim)}`;
  const named = address ?? memberOf(entry, "user");
  return audience === "user" && typeof named === "string" ? named.toLowerCase() : "everyone";
}

function nullable(check: Check): Check {
  return (value) => (value === null ? FINE : check(value));
}

function checkMembers(
  value: Json,
  checks: Readonly<Record<string, Check>>,
  required: readonly string[],
): readonly ValueFault[] {
  if (!isObject(value)) return fault("must be a mapping");
  const known = Object.keys(checks).join(", ");
  return [
    ...required.filter((name) => !Object.hasOwn(value, name)).flatMap((name) => fault(`needs ${name}`)),
    ...Object.entries(value).flatMap(([name, member]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (check === undefined) return fault(`is unknown here; known are ${known}`, [name]);
      return within(name, check(member ?? null));
    }),
  ];
}

interface Entries {
  /** About a value that is no list. */
  readonly message: string;
  readonly checks: Readonly<Record<string, Check>>;
  readonly required?: readonly string[];
  /** What is wrong with an entry whose members are right, or null. */
  find?(entry: JsonObject): string | null;
  /** What no two entries have in common. */
  identify(entry: JsonObject): Json | undefined;
}

function entries({ message, checks, required = [], find = () => null, identify }: Entries): Check {
  return (value) => {
    if (!Array.isArray(value)) return fault(message);
    const seen = new Set<Json | undefined>();
    return value.flatMap((entry, index) => {
      const faults = checkMembers(entry, checks, required);
      if (!isObject(entry) || faults.length > 0) return within(index, faults);
      const identity = identify(entry);
      const found = find(entry) ?? (seen.has(identity) ? "is listed twice" : null);
      seen.add(identity);
      return found === null ? FINE : fault(found, [index]);
    });
  };
}
