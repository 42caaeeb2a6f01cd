import { setTimeout as sleep } from "node:timers/promises";
import { type HttpConnection, type HttpRequest, openConnection, renderRequest } from "../load/http-connection.ts";
import { CHANGE, LIST_LIMIT, NEW_AGENT } from "../rest/operations.ts";
import type { Version } from "../versions/start-version.ts";

export interface VictimCalls {
  readonly timesMs: readonly number[];
  /** Answers with a status of 500 or more, and connections that the service closed without an answer. */
  readonly failures: number;
}

export interface Victim {
  /** Sends light reads and writes for this time. */
  measure(durationMs: number): Promise<VictimCalls>;
  close(): void;
}

/** Each user stays below the rate limit, which is in force for them as for everybody. */
const USERS = 60;
const CONNECTIONS = 4;
/** A person or a page that reads and writes, not a load test. */
const PAUSE_MS = 15;
const AGENTS = LIST_LIMIT;

/** Ordinary users who read and write their own agents. */
export async function createVictim(version: Version): Promise<Victim> {
  const requests: Buffer[] = [];
  for (let number = 0; number < USERS; number += 1) {
    const user = await version.signUp();
    const agents = Array.from({ length: AGENTS }, () => NEW_AGENT);
    const [agentId = ""] = await version.insert(user, "agents", agents);
    const { headers } = user;
    const operations: HttpRequest[] = [
      { method: "GET", path: `/rest/v1/agents?select=*&id=eq.${agentId}`, headers },
      { method: "GET", path: `/rest/v1/agents?select=*&order=created_at.desc&limit=${LIST_LIMIT}`, headers },
      {
        method: "PATCH",
        path: `/rest/v1/agents?select=*&id=eq.${agentId}`,
        headers: { ...headers, prefer: "return=representation" },
        body: JSON.stringify(CHANGE),
      },
    ];
    requests.push(...operations.map((operation) => renderRequest(version.target, operation)));
  }
  const connections: (HttpConnection | undefined)[] = [];
  let next = 0;
  const callOnce = async (connection: number): Promise<{ ms: number; isFailure: boolean }> => {
    const request = requests[next % requests.length] ?? Buffer.alloc(0);
    next += 1;
    const startedAt = performance.now();
    try {
      if (connections[connection]?.isOpen() !== true) connections[connection] = await openConnection(version.target);
      const status = (await connections[connection]?.send(request)) ?? 0;
      return { ms: performance.now() - startedAt, isFailure: status >= 500 };
    } catch {
      return { ms: performance.now() - startedAt, isFailure: true };
    }
  };
  return {
    measure: async (durationMs) => {
      const endAt = performance.now() + durationMs;
      const timesMs: number[] = [];
      let failures = 0;
      const run = async (_: unknown, connection: number): Promise<void> => {
        while (performance.now() < endAt) {
          const { ms, isFailure } = await callOnce(connection);
          timesMs.push(ms);
          if (isFailure) failures += 1;
          await sleep(PAUSE_MS);
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, run));
      return { timesMs, failures };
    },
    close: () => connections.forEach((connection) => connection?.close()),
  };
}
