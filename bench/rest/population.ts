import { hash } from "node:crypto";
import { TOOLS_PER_AGENT } from "./operations.ts";

/**
 * Users, agents and tools that are the same in every store: ids are derived from numbers, so they need not be queried.
 */
export interface Population {
  readonly users: number;
  readonly agentsPerUser: number;
}

/** A user and one of their agents. */
export interface Target {
  readonly user: number;
  readonly agent: number;
}

const LEAST_TARGETS = 2_000;
const TOOLS_PER_USER = 5;
const PROMPT = "Be brief. ".repeat(20);

export function describePopulation({ users, agentsPerUser }: Population): string {
  return `${(users * agentsPerUser).toLocaleString("en")} agents of ${users.toLocaleString("en")} users`;
}

export function idOf(kind: "user" | "session" | "agent" | "tool", number: number): string {
  const digest = hash("md5", `${kind} ${number}`);
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Every user at least once, in an order that is unrelated to the storage order. */
export function chooseTargets({ users, agentsPerUser }: Population): readonly Target[] {
  const count = Math.max(users, LEAST_TARGETS);
  // A step that is coprime to the count visits every user before any twice.
  const step = 7919;
  return Array.from({ length: count }, (_, at) => {
    const user = 1 + ((at * step) % users);
    return { user, agent: (user - 1) * agentsPerUser + 1 + (at % agentsPerUser) };
  });
}

/** Numbered rows for every store, each column as an expression of PostgreSQL and SQLite. */
export const CONTENT = {
  prompt: PROMPT,
  toolsPerUser: TOOLS_PER_USER,
  toolsPerAgent: TOOLS_PER_AGENT,
  toolOf: (agent: number, agentsPerUser: number, place: number): number =>
    Math.floor((agent - 1) / agentsPerUser) * TOOLS_PER_USER + 1 + ((agent + place) % TOOLS_PER_USER),
};
