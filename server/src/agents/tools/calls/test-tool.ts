import { type JsonRecord } from "../../../json/index.ts";
import type { SchemaCompiler } from "../input/compile-schema.ts";
import { checkToolInput } from "../input/check-input.ts";
import { type RunnerPorts, runTool } from "../run-tool.ts";
import type { ToolOutcome } from "../tool-port.ts";
import { getOwnTool } from "./get-own-tool.ts";

export interface TestCall {
  /** Null is the service role. */
  readonly callerId: string | null;
  readonly toolId: string;
  readonly input: JsonRecord;
}

export interface TestedTool {
  readonly toolId: string;
  readonly outcome: ToolOutcome;
}

/** One real call of a tool by its owner, outside of any swarm. */
export async function testTool(
  ports: RunnerPorts & { readonly schemas: SchemaCompiler },
  call: TestCall,
): Promise<TestedTool> {
  const { callerId, toolId, input } = call;
  const tool = await getOwnTool(ports.pool, callerId, toolId);
  const checked = checkToolInput(ports.schemas, tool, JSON.stringify(input));
  if (!checked.ok) return { toolId, outcome: { status: "failed", error: checked.fault, attempts: 0, durationMs: 0 } };
  const signal = new AbortController().signal;
  return { toolId, outcome: await runTool(ports, tool, checked.input, { swarmId: null, signal }) };
}
