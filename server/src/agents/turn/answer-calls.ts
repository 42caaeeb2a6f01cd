import { Semaphore } from "@swarmbase/concurrency";
import type { ModelToolCall } from "../providers/model-port.ts";
import type { LiveRun } from "../run/live-run.ts";
import type { TurnEnd, WaitingCall } from "../run/turn-state.ts";
import { readAgentInput } from "../strategies/agent-tools.ts";
import type { HandoffRow, QuestionRow } from "../writer/steps.ts";
import type { Toolset } from "./toolset.ts";
import { returnToThinking, type Turn } from "./turn.ts";
import { noteCall, rejectCall, toMemberAnswer, useTool } from "./use-tool.ts";

type Answers =
  | { readonly kind: "answered"; readonly waiting: readonly WaitingCall[] }
  | { readonly kind: "handoff"; readonly handoff: HandoffRow };

export interface AnswerContext {
  readonly run: LiveRun;
  readonly turn: Turn;
  readonly toolset: Toolset;
  /** Another agent's turn within this one. */
  askMember(agentId: string, asked: QuestionRow, turnId: string): Promise<TurnEnd>;
}

/** Runs the calls of one step concurrently; the results keep the order of the calls. */
export async function answerCalls(answering: AnswerContext, calls: readonly ModelToolCall[]): Promise<Answers> {
  const { run, turn, toolset } = answering;
  for (const call of calls) {
    const meaning = toolset.find(call.name);
    if (meaning?.kind !== "handoff") continue;
    const { agentId, agentName } = meaning;
    const reason = readAgentInput("handoff", call.inputText);
    return { kind: "handoff", handoff: { agent_id: agentId, agent_name: agentName, reason } };
  }
  const verdicts = calls.map((call) => turn.checkRepeat(call.name, call.inputText));
  if (verdicts.includes("loop")) {
    turn.isLooping = true;
    turn.mustAnswer = true;
  }
  returnToThinking(run, turn);
  const waiting = await runCalls(run, turn, calls, async (call, index) =>
    verdicts[index] === "run" ? await answerCall(answering, call) : rejectCall(call, "ALREADY_CALLED", REPEATED),
  );
  return { kind: "answered", waiting };
}

const REPEATED = "You have called this tool with this input already: use the results above.";

/** Works on the calls of one turn, a limited number at a time. */
export function runCalls<Call>(
  { ports }: LiveRun,
  turn: Turn,
  calls: readonly Call[],
  work: (call: Call, index: number) => Promise<WaitingCall>,
): Promise<WaitingCall[]> {
  const semaphore = new Semaphore({ permits: ports.toolConcurrency });
  const answer = async (call: Call, index: number): Promise<WaitingCall> => {
    const answered = await work(call, index);
    noteCall(turn, answered);
    return answered;
  };
  return Promise.all(calls.map((call, index) => semaphore.run(() => answer(call, index), { signal: turn.signal })));
}

export async function answerCall(answering: AnswerContext, call: ModelToolCall): Promise<WaitingCall> {
  const { run, turn, toolset } = answering;
  const meaning = toolset.find(call.name);
  if (meaning === null) return rejectCall(call, "TOOL_NOT_FOUND", "No tool has this name.");
  switch (meaning.kind) {
    case "handoff":
      return rejectCall(call, "TOOL_NOT_FOUND", "The conversation was not handed over.");
    case "member":
      return await askMember(answering, call, meaning.agentId);
    case "own":
      return await useTool(run, turn, call, meaning.tool);
  }
}

async function askMember(
  { run, turn, askMember: ask }: AnswerContext,
  call: ModelToolCall,
  agentId: string,
): Promise<WaitingCall> {
  const message = readAgentInput("member", call.inputText);
  if (message === "") return rejectCall(call, "VALIDATION_ERROR", "message: must be a non-empty string");
  const turnId = run.ports.newId();
  noteCall(turn, { kind: "asking", call, turnId });
  const end = await ask(agentId, { by_agent_id: turn.agent.id, by_agent_name: turn.agent.name, message }, turnId);
  return toMemberAnswer(call, end);
}
