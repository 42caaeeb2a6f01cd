import type { Client } from "pg";
import type { Clock } from "../time/index.ts";
import { withClient } from "./connect-client.ts";
import { decideRequirements, type NodeNeeds, type RequirementReport } from "./decide-requirements.ts";
import { selectServerProperties } from "./sql/select-server-properties.ts";

/** One clock dates tokens and signatures, the other one checks them. */
export const MAX_CLOCK_DIFFERENCE_MS = 5_000;

export interface ServerReport extends RequirementReport {
  readonly version: string;
  readonly clockDifference: {
    /** A lower bound: the server read its clock at an unknown moment of the round trip. */
    readonly ms: number;
    readonly text: string;
  };
}

/** Compares a server with the requirements, as its administrator. Changes nothing. */
export async function inspectServer(client: Client, needs: NodeNeeds, clock: Clock): Promise<ServerReport> {
  const sentMs = clock.now().getTime();
  const server = await selectServerProperties(client);
  const receivedMs = clock.now().getTime();
  const aheadMs = (sentMs + receivedMs) / 2 - server.nowMs;
  const ms = Math.max(0, Math.abs(aheadMs) - (receivedMs - sentMs));
  const text = `this machine's clock is ${Math.round(ms / 1000)} seconds ${aheadMs > 0 ? "ahead of" : "behind"} that of the database`;
  return { ...decideRequirements(server, needs), version: server.version, clockDifference: { ms, text } };
}

/** Checks all requirements of a server. Throws with all faults, resolves with the warnings. */
export async function checkRequirements(adminUrl: string, needs: NodeNeeds, clock: Clock): Promise<readonly string[]> {
  const { faults, warnings, clockDifference } = await withClient(adminUrl, (client) =>
    inspectServer(client, needs, clock),
  );
  if (faults.length > 0) {
    const title = "The database of DATABASE_URL does not meet the requirements of Swarmbase:";
    throw new Error([title, ...faults.map((fault) => `  - ${fault}`)].join("\n"));
  }
  if (clockDifference.ms <= MAX_CLOCK_DIFFERENCE_MS) return warnings;
  return [...warnings, `${clockDifference.text}. Synchronise the clocks of both machines (chrony, systemd-timesyncd).`];
}
