import type { TranscriptMessage } from "../context/transcript.ts";
import type { LiveRun } from "../run/live-run.ts";
import type { GuardrailFlag } from "../writer/steps.ts";
import { blocked, checkInput, failed, toFlag } from "./check-input.ts";
import { subjectOf } from "./asker.ts";
import { type Guardrail, GuardrailFailure, guardrailsOf } from "../guardrails/guardrail.ts";
import { summaryIdOf, transcriptOf } from "./turn-context.ts";
import { checkAnswer } from "../schemas/check-answer.ts";
import { ModelError } from "../../errors/index.ts";
import { responseSchemaOf } from "../schemas/response-schema.ts";
import { failTurn, finishTurn, type TurnFinish } from "./finish-turn.ts";
import { callerOf, type Turn, warnOnce } from "./turn.ts";
import type { TurnEnd } from "../run/turn-state.ts";

/** Checks what the agent is about to read. Throws a ModelError when the agent must not answer. */
export async function guardInput(run: LiveRun, turn: Turn): Promise<void> {
  if (guardrailsOf(run, turn.agent.id, "input").length === 0) return;
  const { summary } = turn;
  const read = [...transcriptOf(run, turn), ...(summary === null ? [] : [toMessage(summary)])];
  const { readings, flags, stop, uncheckedCount } = await checkInput(run, read, { ...callerOf(turn), canStop: true });
  turn.signal.throwIfAborted();
  submitFlags(run, flags);
  if (stop !== null) throw stop;
  turn.readings = readings;
  if (uncheckedCount > 0)
    warnOnce(turn, { setting: "guardrails", message: `left out ${uncheckedCount} older messages` });
}

/** Guardrails check a summary like a message, also those that are newer than the summary. */
function toMessage(summary: NonNullable<Turn["summary"]>): TranscriptMessage {
  const { text: content } = summary;
  const sender = { sender_type: "system", sender_id: null, sender_name: "system" } as const;
  return { id: summaryIdOf(summary), seq: summary.up_to_seq, ...sender, content, run_id: null, isComposed: true };
}

/** Ends a turn that completed, after its text was checked. Readers get the text of such a turn only now. */
export async function completeTurn(run: LiveRun, turn: Turn, finish: TurnFinish): Promise<TurnEnd> {
  const guardrails = guardrailsOf(run, turn.agent.id, "output");
  const { data, handoff } = finish;
  // Escapes must not hide a text from a pattern.
  const texts = { text: data === undefined ? turn.text : JSON.stringify(data), reason: handoff?.reason ?? "" };
  const flags: GuardrailFlag[] = [];
  const subject = subjectOf(run, callerOf(turn), null);
  for (const guardrail of guardrails) {
    try {
      for (const field of ["text", "reason"] as const) {
        // A schema describes answers.
        if (texts[field].trim() === "" || (field === "reason" && guardrail.kind === "schema")) continue;
        const verdict = await run.ports.guardrails.check(guardrail, texts[field], subject);
        turn.signal.throwIfAborted();
        if (!verdict.isTripped) continue;
        if (guardrail.action === "block") return stopTurn(run, turn, guardrail);
        texts[field] = verdict.replacement;
        if (field === "text") flags.push(toFlag(turn.messageId, guardrail, verdict.reason));
      }
    } catch (error) {
      // What was not checked is not stored.
      turn.text = "";
      if (!(error instanceof GuardrailFailure)) throw error;
      return failTurn(run, turn, failed(guardrail, error));
    }
  }
  if (guardrails.length > 0 && turn.text.trim() !== "") turn.text = texts.text;
  const checkedFinish = handoff === undefined ? finish : { ...finish, handoff: { ...handoff, reason: texts.reason } };
  if (data === undefined || flags.length === 0) return release(run, turn, checkedFinish, flags);
  const checked = checkAnswer(run.ports.schemas, responseSchemaOf(turn.agent.settings) ?? {}, turn.text);
  if (checked.ok) return release(run, turn, { ...checkedFinish, data: checked.value }, flags);
  turn.text = "";
  const message = "The answer does not satisfy the response_schema after a guardrail has changed it";
  return failTurn(run, turn, new ModelError("RESPONSE_SCHEMA_MISMATCH", message));
}

function stopTurn(run: LiveRun, turn: Turn, guardrail: Guardrail): TurnEnd {
  turn.text = "";
  return failTurn(run, turn, blocked(guardrail, "the answer"));
}

function release(run: LiveRun, turn: Turn, finish: TurnFinish, flags: readonly GuardrailFlag[]): TurnEnd {
  if (turn.isWithheld) {
    turn.isWithheld = false;
    if (turn.text.trim() !== "") run.writer.delta("message.delta", turn.source, turn.text);
  }
  const hasMessage = turn.text.trim() !== "";
  const end = finishTurn(run, turn, { ...finish, isFlagged: hasMessage && flags.length > 0 });
  // In the same batch, after the message.
  if (hasMessage) submitFlags(run, flags);
  return end;
}

function submitFlags(run: LiveRun, flags: readonly GuardrailFlag[]): void {
  if (flags.length > 0) void run.writer.submit({ op: "flag_messages", flags });
}
