import { GRANT_AUDIENCES, type Json, SWARM_ROLES } from "@swarmbase/sdk";
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

export const agentKey: Check = (value) =>
  typeof value === "string" && KEY.test(value) ? FINE : fault(`must be the key of an agent: ${KEY_RULE}`);

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

/** `tools` of an agent: which tool, and how it is assigned. */
export const assignments: Check = (value) => {
  if (!isObject(value)) return fault("must be a mapping of tools to assignments, such as `find_order: {}`");
  return Object.entries(value).flatMap(([reference, assignment]) => {
    if (!TOOL_REFERENCE.test(reference))
      return fault("must be the key of a tool, builtin/<name>, shared/<name> or shared/<id>", [reference]);
    if (assignment === null || assignment === undefined) return FINE;
    return within(
      reference,
      checkMembers(assignment, { enabled: boolean, configuration: jsonObject("agent_tools.configuration") }, []),
    );
  });
};

/** `agents` of a swarm, in the order in which they speak. */
export const swarmAgents: Check = (value) => {
  if (!Array.isArray(value)) return fault("must be a list of agents, such as `- agent: ada`");
  const faults = value.flatMap((entry, index) =>
    within(
      index,
      checkMembers(
        entry,
        { agent: agentKey, enabled: boolean, role_override: nullable(text("swarm_agents.role_override")) },
        ["agent"],
      ),
    ),
  );
  return [...faults, ...findRepeated(value, (entry) => (isObject(entry) ? entry["agent"] : undefined))];
};

export const members: Check = (value) => {
  if (!Array.isArray(value)) return fault("must be a list of people, such as `- email: ann@example.com`");
  const role = choice(SWARM_ROLES.filter((each) => each !== "owner"));
  const faults = value.flatMap((entry, index) => {
    const found = checkMembers(entry, { email, user, role }, []);
    if (!isObject(entry) || found.length > 0) return within(index, found);
    const isNamed = (entry["email"] === undefined) !== (entry["user"] === undefined);
    return within(index, isNamed ? FINE : fault("must have either email or user"));
  });
  return [
    ...faults,
    ...findRepeated(value, (entry) => {
      if (!isObject(entry)) return undefined;
      return typeof entry["email"] === "string" ? entry["email"].toLowerCase() : entry["user"];
    }),
  ];
};

/** `grants` of an agent: who may ask it, and on which terms. */
export const grants: Check = (value) => {
  if (!Array.isArray(value)) return fault("must be a list of grants, such as `- audience: everyone`");
  const claim: Check = (object) =>
    isObject(object) && Object.keys(object).length > 0 ? FINE : fault("must be a mapping that is not empty");
  const terms = Object.fromEntries(Object.entries(GRANT_TERMS).map(([name, term]) => [name, term.check]));
  const checks = { audience: choice(GRANT_AUDIENCES), claim, email, user, ...terms };
  const faults = value.flatMap((entry, index) => {
    const found = checkMembers(entry, checks, ["audience"]);
    if (!isObject(entry) || found.length > 0) return within(index, found);
    const named = ["claim", "email", "user"].filter((name) => Object.hasOwn(entry, name));
    const needed = entry["audience"] === "claim" ? ["claim"] : entry["audience"] === "user" ? ["email", "user"] : [];
    const isFit = named.length === Math.min(needed.length, 1) && named.every((name) => needed.includes(name));
    return isFit
      ? FINE
      : fault("must have a claim for the audience claim, email or user for user, and none of them for everyone", [
          index,
        ]);
  });
  return faults.length > 0 ? faults : findRepeated(value.map(describeAudience), (entry) => entry);
};

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

function findRepeated(list: readonly Json[], identify: (entry: Json) => Json | undefined): readonly ValueFault[] {
  const seen = new Set<Json>();
  return list.flatMap((entry, index) => {
    const identity = identify(entry);
    if (identity === undefined) return FINE;
    if (seen.has(identity)) return fault("is listed twice", [index]);
    seen.add(identity);
    return FINE;
  });
}
