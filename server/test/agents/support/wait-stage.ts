import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import { type RunSignal, signalRun } from "../../../src/agents/respond/sql/run-control.ts";
import type { RunBody } from "../../../src/agents/streams/run-body.ts";
import { runBuiltin } from "../../../src/agents/tools/builtins/run-builtin.ts";
import { checkToolInput, describeTool } from "../../../src/agents/tools/input/check-input.ts";
import type { Tools } from "../../../src/agents/tools/tool-port.ts";
import { createSchemaCompiler } from "../../../src/agents/schemas/schema-compiler.ts";
import { sweepRuns } from "../../../src/agents/execution/sql/manage-runs.ts";
import { systemClock } from "../../../src/time/index.ts";
import { until } from "../../support/until.ts";
import { calls, type NewSwarm, type NodeOptions, type RunNode, type RunStage, says, succeeded } from "./run-stage.ts";

const SLEEP_ID = "019a8000-0000-7000-8000-000000000006";
const EVENT_ID = "019a8000-0000-7000-8000-000000000007";
const HOUR = 3_600;

const schemas = createSchemaCompiler({ maxKept: 10 });

/** Built-in tools as the service runs them; all others say what they got. */
export const tools: Tools = {
  describe: describeTool,
  checkInput: (tool, text) => checkToolInput(schemas, tool, text),
  async run(tool, input, { executionId }) {
    if (tool.kind !== "builtin") return succeeded(`${tool.name} says ${JSON.stringify(input)}`);
    const call = { name: tool.name, input: { ...input }, executionId };
    try {
      const { wait } = await runBuiltin({ clock: systemClock } as never, call as never);
      if (wait !== undefined) return { status: "waiting", wait };
    } catch (error) {
      const { message } = error as Error;
      const fault = { code: "INVALID_INPUT", message, retryable: false };
      return { status: "failed", error: fault, attempts: 1, durationMs: 0 };
    }
    return succeeded("no wait");
  },
};

export type Call = Parameters<typeof calls>[1];
export const sleeps = (seconds = HOUR): Call => ({ name: "sleep", input: { seconds } });
export const waitsFor = (name: string, more: object = {}): Call => ({
  name: "wait_for_event",
  input: { name, seconds: HOUR, ...more },
});

/** Makes the calls, one list after the other, and then says what the results are. */
export function callsThenTells(...steps: readonly (readonly Call[])[]): (call: ModelCall) => AsyncIterable<ModelEvent> {
  return (call) => {
    // An agent also reads the results of its earlier runs.
    const own = call.messages.slice(call.messages.findLastIndex(({ role }) => role === "user") + 1);
    const results = own.flatMap((message) => (message.role === "tool" ? [message.output] : []));
    let made = 0;
    for (const step of steps) {
      if (made >= results.length) return calls(call, ...step);
      made += step.length;
    }
    return says(call, results.join("\n"));
  };
}

export interface WaitingRun {
  readonly swarm: NewSwarm;
  readonly runId: string;
  readonly node: RunNode;
  /** A node that has not seen the run before. */
  another(more?: NodeOptions): RunNode;
}

export interface WaitOptions extends NodeOptions {
  readonly steps: readonly (readonly Call[])[];
  readonly swarm?: NewSwarm;
  readonly settings?: unknown;
}

/** An agent that has both tools. */
export async function newWaiter(stage: RunStage, settings: unknown = {}): Promise<NewSwarm> {
  const swarm = await stage.newSwarm({ agents: ["Ada"], settings });
  await assign(stage, swarm.agentIds[0] ?? "");
  return swarm;
}

export async function assign(stage: RunStage, agentId: string): Promise<void> {
  await stage.rows("insert into public.agent_tools (agent_id, tool_id) select $1, unnest($2::uuid[])", [
    agentId,
    [SLEEP_ID, EVENT_ID],
  ]);
}

/** A run that is taken and waits. */
export async function openWait(
  stage: RunStage,
  { steps, swarm: given, settings, ...more }: WaitOptions,
): Promise<WaitingRun> {
  const swarm = given ?? (await newWaiter(stage, settings));
  const options = { tools, script: callsThenTells(...steps), ...more };
  const node = stage.node(options);
  const runId = await stage.ask(swarm);
  await node.take(runId);
  await untilStatus(stage, runId, "waiting", "requires_action");
  return { swarm, runId, node, another: (other = {}) => stage.node({ ...options, ...other }) };
}

export async function untilStatus(stage: RunStage, runId: string, ...statuses: readonly string[]): Promise<void> {
  await until(async () => statuses.includes((await stage.run(runId)).status), `the run is ${statuses.join(" or ")}`);
}

/** Has another node take the run when it can continue, and returns how it ends. */
export async function goOn(stage: RunStage, { runId, another }: WaitingRun): Promise<string> {
  const node = another();
  const isTaken = (): Promise<boolean> =>
    node.take(runId).then(
      () => true,
      () => false,
    );
  await until(isTaken, "another node takes the run");
  const { status, stop_reason: reason } = await stage.end(runId);
  return `${status} ${reason}`;
}

export interface Sender {
  /** Null means the service role. */
  readonly userId: string | null;
  readonly data?: unknown;
  readonly key?: RunSignal["key"];
}

export function signal(stage: RunStage, runId: string, name: string, sender: Sender): Promise<RunBody> {
  const { userId, data = null, key = null } = sender;
  const role = userId === null ? "service_role" : "authenticated";
  return signalRun(stage.pool, runId, { role, userId }, { name, data, key });
}

/** The time of what waits has come. */
export async function makeDue(stage: RunStage, runId: string): Promise<void> {
  await stage.rows("update public.tool_executions set expires_at = now() - interval '1 second' where run_id = $1", [
    runId,
  ]);
  await sweepRuns(stage.pool, 100);
}

/** What the model has read of the waits, in order. */
export async function resultsOf(stage: RunStage, runId: string): Promise<readonly Record<string, unknown>[]> {
  const rows = await stage.rows<{ output: Record<string, unknown> }>(
    `select p.output from public.tool_executions x
     join public.tool_execution_payloads p on p.tool_execution_id = x.id
     where x.run_id = $1 order by x.created_at, x.id`,
    [runId],
  );
  return rows.map(({ output }) => output);
}
