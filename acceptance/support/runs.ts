import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import { onlyRow, type Person, type Row, type TableAnswer } from "./people.ts";
import { apiErrorOf } from "./api-errors.ts";
import { add, change, read, type Run, addSwarmAgent } from "./swarms.ts";
import type { Frame } from "./streams.ts";

export const RESPOND = "POST /functions/v1/agent-respond";
const ENDED: readonly unknown[] = ["completed", "partial", "failed", "cancelled"];

type Sender = Pick<Person, "send">;

export function ask({ send }: Sender, body: Row, headers: Record<string, string> = {}): Promise<TableAnswer> {
  return send(RESPOND, { body, headers });
}

export interface SwarmWithAgent {
  readonly swarm: string;
  readonly agent: string;
}

/** A swarm with one agent, Ann. */
export async function openSwarm(owner: Sender): Promise<SwarmWithAgent> {
  const swarm = await add(owner, "swarms", { name: "Room" });
  return { swarm, agent: await addSwarmAgent(owner, swarm, "Ann") };
}

export async function addMember(owner: Sender, swarm_id: string, person: Person, role: string): Promise<void> {
  const member = await add(owner, "swarm_members", { swarm_id, user_id: person.id, role });
  await change(person, "swarm_members", member, { status: "active" });
}

/** A run in the background, as it was accepted. */
export async function startRun(sender: Sender, swarm_id: string, message: string): Promise<Run> {
  const { status, text, body } = await ask(sender, { swarm_id, message, background: true });
  assert.equal(status, 202, text);
  return body as Run;
}

/** The same once its agent has read what was said: what comes later is for later turns. */
export async function startTurn(sender: Sender, swarm_id: string, message: string): Promise<Run> {
  const run = await startRun(sender, swarm_id, message);
  await eventually(
    () => read(sender, `/run_turns?run_id=eq.${run.run_id}`),
    ({ length }) => length > 0,
    "a turn",
  );
  return run;
}

export function waitForRun({ send }: Sender, runId: string): Promise<Row> {
  return eventually(
    async () => onlyRow(await send(`GET /runs?id=eq.${runId}`)),
    ({ status }) => ENDED.includes(status),
    `the run ${runId}`,
  );
}

export function eventsOf(frames: readonly Frame[]): string[] {
  return frames.map(({ event }) => event);
}

export async function assertRunRejected(
  asked: Promise<TableAnswer>,
  status: number,
  code: string,
): Promise<TableAnswer> {
  const answer = await asked;
  const rejected = apiErrorOf(answer);
  assert.deepEqual([rejected.status, rejected.code], [status, code], answer.text);
  return answer;
}
