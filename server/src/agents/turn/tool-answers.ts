import type { ModelToolCall } from "../providers/model-port.ts";
import type { Turn } from "./turn.ts";
import type { LiveCall, TurnEnd, WaitingCall } from "../run/turn-state.ts";

/** Must be called before the step that records the same is submitted, which stores the calls of the turn too. */
export function noteCall(turn: Turn, noted: LiveCall): void {
  const at = turn.calls.findIndex(({ call }) => call === noted.call);
  if (at >= 0) turn.calls[at] = noted;
}

/** `text`: the response of the tool, which only the model reads. */
export function rejectCall(call: ModelToolCall, code: string, message: string, text?: string): WaitingCall {
  const output = JSON.stringify({ error: { code, message }, ...(text !== undefined && { output: text }) });
  return { kind: "answered", call, output, isError: true };
}

export function toMemberAnswer(call: ModelToolCall, end: TurnEnd): WaitingCall {
  switch (end.kind) {
    case "suspended":
      return { kind: "member", call, turn: end.turn };
    case "gone":
      return rejectCall(call, "AGENT_NOT_FOUND", "This agent is no longer available.");
    case "finished":
      if (end.stop === "max_turns") return rejectCall(call, "MAX_TURNS", "No further agent can be asked in this run.");
      if (end.isError) return rejectCall(call, "AGENT_FAILED", "This agent could not answer.");
      return { kind: "answered", call, output: end.text === "" ? "(no answer)" : end.text, isError: false };
  }
}
