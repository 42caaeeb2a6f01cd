import { type Framework, FRAMEWORKS } from "@swarmbase/sdk";
import { answerCalls, type AnswerContext } from "./answer-calls.ts";
import type { JsonRecord } from "../../json/index.ts";
import { askModel, type ModelAnswer } from "./ask-model.ts";
import { buildTurnContext } from "./turn-context.ts";
import { checkAnswer } from "../schemas/check-answer.ts";
import { describeRepair, responseSchemaOf } from "../schemas/response-schema.ts";
import type { TranscriptMessage } from "../context/transcript.ts";
import { ModelError } from "../../errors/index.ts";
import { abortTurn, failTurn } from "./finish-turn.ts";
import { completeTurn, guardInput } from "./guard-turn.ts";
import { grantOf, type LiveRun } from "../run/live-run.ts";
import type { QuestionRow } from "../writer/steps.ts";
import { trackSuspended, trackTurn } from "./run-progress.ts";
import { BudgetSpent } from "../run/run-budget.ts";
import { buildToolset, type Toolset } from "./toolset.ts";
import { keepNewestImages } from "./turn-images.ts";
import type { Models } from "../providers/open-models.ts";
import { summarizeLeftOut } from "./summarize-left-out.ts";
import { suspendTurn } from "./suspended-turn.ts";
import { createTurn, replaceMessages, resetText, submitModelCalls, type Turn, warnOnce } from "./turn.ts";
import { createBlankTurn, type TurnEnd, type WaitingCall } from "../run/turn-state.ts";

/** Runs one turn from its start to its end. Rejects only with the RunStop of a lost run. */
export async function runTurn(
  run: LiveRun,
  agentId: string,
  asked: QuestionRow | null,
  id = run.ports.newId(),
): Promise<TurnEnd> {
  if (asked !== null && run.turnCount >= run.limits.maxTurns)
    return { kind: "finished", text: "", isError: true, stop: "max_turns" };
  const position = run.turnCount++;
  const turn = await openTurn(run, agentId, asked, { id, position });
  if (turn === null) {
    run.turns.delete(id);
    run.turnCount -= 1;
    return { kind: "gone" };
  }
  if (asked !== null) run.questions.set(turn.messageId, asked);
  trackTurn(run, turn);
  return await runTurnWork(run, turn, async () => {
    await prepareConversation(run, turn);
    return await continueTurn(run, turn);
  });
}

/** Gives a turn that begins or continues the conversation as its agent may read it now. */
export async function prepareConversation(run: LiveRun, turn: Turn): Promise<void> {
  await guardInput(run, turn);
  const { tools } = buildToolset(run, turn);
  buildTurnContext(run, turn, tools);
  if (await summarizeLeftOut(run, turn)) buildTurnContext(run, turn, tools);
}

/** Runs the work of a turn. A turn that is aborted or fails ends with that. */
export async function runTurnWork(run: LiveRun, turn: Turn, work: () => Promise<TurnEnd>): Promise<TurnEnd> {
  try {
    turn.signal.throwIfAborted();
    return await work();
  } catch (error) {
    return turn.signal.aborted ? abortTurn(run, turn) : failTurn(run, turn, error);
  } finally {
    run.turnControllers.delete(turn.id);
    run.recorded.delete(turn.id);
  }
}

async function openTurn(
  run: LiveRun,
  agentId: string,
  asked: QuestionRow | null,
  { id, position }: Pick<Turn, "id" | "position">,
): Promise<Turn | null> {
  const { opened } = run;
  if (opened !== null && opened.agent.id === agentId && asked === null) {
    run.opened = null;
    addMessages(run, opened.messages);
    return createTurn(run, { ...opened, position, asked });
  }
  const messageId = run.ports.newId();
  // Before it is submitted: the batch that begins the turn stores it with the turn that asks for it.
  trackSuspended(run, createBlankTurn({ id, messageId, position, agentId, asked }));
  run.signal.throwIfAborted();
  const { outcome, agent, messages } = await run.writer.submit({
    op: "start_turn",
    turn_id: id,
    message_id: messageId,
    agent_id: agentId,
    position,
    default_models: defaultModels(run.ports.models, findFrameworks(run, agentId)),
    after_seq: run.transcript.at(-1)?.seq ?? 0,
    history_limit: run.limits.historyLimit + 1,
    ...(asked !== null && { asked }),
  });
  if (outcome !== "started" || agent === undefined) return null;
  addMessages(run, messages ?? []);
  return createTurn(run, { id, messageId, position, agent, asked });
}

/** An earlier version of the agent can have any framework, and so can a call that overrides it. */
function findFrameworks({ context }: LiveRun, agentId: string): readonly Framework[] {
  const { agent_version: version, overrides } = context.run.request;
  if (version !== undefined || overrides !== undefined) return FRAMEWORKS;
  return context.agents.flatMap(({ id, framework }) => (id === agentId ? [framework] : []));
}

/** By framework: the model that is recorded for a turn whose agent names none. */
export function defaultModels(
  models: Pick<Models, "describe">,
  frameworks: readonly Framework[],
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const framework of frameworks) {
    try {
      found[framework] = models.describe(framework, null).model;
    } catch {
      // The turn fails later, with the reason.
    }
  }
  return found;
}

/** Turns that start together get the same messages. */
export function addMessages(run: LiveRun, messages: readonly TranscriptMessage[]): void {
  const lastSeq = run.transcript.at(-1)?.seq ?? 0;
  run.transcript.push(...messages.filter(({ seq }) => seq > lastSeq));
  const excess = run.transcript.length - (run.limits.historyLimit + 1);
  if (excess > 0) run.transcript.splice(0, excess);
}

export async function continueTurn(run: LiveRun, turn: Turn): Promise<TurnEnd> {
  const schema = responseSchemaOf(turn.agent.settings);
  for (;;) {
    // A grant can be withdrawn while a tool works: the next call of the model waits until that is known.
    if (grantOf(run.context, turn.agent.id) !== null) await run.recorded.get(turn.id);
    turn.signal.throwIfAborted();
    const toolset = buildToolset(run, turn);
    // A structured answer is the text of the last call alone.
    if (schema !== null && turn.text !== "") resetText(run, turn, { reason: "tool_calls", error: null });
    const answer = await askModel(run, turn, toolset.offer);
    if (answer.finish === "content_filter")
      return failTurn(run, turn, new ModelError("CONTENT_FILTERED", "The provider withheld the answer"));
    if (answer.finish === "length" && answer.text.trim() === "")
      return answer.isCutByBudget ? failTurn(run, turn, new BudgetSpent()) : await endWithoutText(run, turn);
    // A call that must answer does not offer tools.
    if (answer.calls.length === 0 || turn.mustAnswer || turn.isRepairing) {
      if (schema === null) return await takeText(run, turn, answer);
      const end = await takeStructured(run, turn, schema, answer);
      if (end !== null) return end;
      continue;
    }

    // The turn can wait for hours after this, or be lost with its node.
    submitModelCalls(run, turn);
    turn.messages.push({ role: "assistant", content: answer.text, toolCalls: answer.calls });
    turn.toolSteps += 1;
    turn.settledText = turn.text;
    turn.calls = answer.calls.map((call) => ({ kind: "pending", call }));
    const answers = await answerCalls(createAnswerContext(run, turn, toolset), answer.calls);
    turn.signal.throwIfAborted();
    if (answers.kind === "handoff")
      return await completeTurn(run, turn, { finishReason: "handoff", handoff: answers.handoff });
    const suspended = takeAnswers(run, turn, answers.waiting);
    if (suspended !== null) return suspended;
  }
}

export function createAnswerContext(run: LiveRun, turn: Turn, toolset: Toolset): AnswerContext {
  return { run, turn, toolset, askMember: (agentId, asked, turnId) => runTurn(run, agentId, asked, turnId) };
}

/** Ends the turn with the text of its answer, which can be empty. */
async function takeText(run: LiveRun, turn: Turn, { finish }: ModelAnswer): Promise<TurnEnd> {
  if (turn.text.trim() !== "") return await completeTurn(run, turn, { finishReason: finish });
  if (turn.isLooping) {
    const message = "The model called a tool with the same input again and again, and then wrote no text";
    return failTurn(run, turn, new ModelError("LOOP_DETECTED", message));
  }
  warnOnce(turn, { setting: "response", message: "the model answered without text" });
  return await completeTurn(run, turn, { finishReason: "empty_response" });
}

/** Ends the turn with the value of its answer, or with an error. Null means that the model is told why, and answers once more. */
async function takeStructured(
  run: LiveRun,
  turn: Turn,
  schema: JsonRecord,
  answer: ModelAnswer,
): Promise<TurnEnd | null> {
  const checked = checkAnswer(run.ports.schemas, schema, answer.text);
  if (checked.ok) {
    turn.text = checked.text;
    return await completeTurn(run, turn, { finishReason: answer.finish, data: checked.value });
  }
  if (turn.isRepairing) {
    const message = "The answer does not satisfy the response_schema";
    // A fault can quote the answer, and readers must not see what was not checked.
    const explained = turn.isWithheld === true ? message : `${message}: ${checked.fault}`;
    return failTurn(run, turn, new ModelError("RESPONSE_SCHEMA_MISMATCH", explained));
  }
  turn.isRepairing = true;
  // Some providers reject an empty message.
  if (answer.text.trim() !== "") turn.messages.push({ role: "assistant", content: answer.text });
  turn.messages.push({ role: "user", content: describeRepair(schema, checked.fault), starts: [] });
  resetText(run, turn, { reason: "repair", error: checked.fault });
  return null;
}

/** The model used up its tokens, for reasoning or for an incomplete tool call, before it wrote any text. */
async function endWithoutText(run: LiveRun, turn: Turn): Promise<TurnEnd> {
  const { framework, model } = turn;
  const limit = run.ports.models.maxTokens(framework, model, turn.agent.settings);
  const message = `the model used up max_tokens (${limit}) before it wrote any text`;
  if (turn.text.trim() === "") {
    const advice = `${framework}, model ${model}: ${message}; raise max_tokens in the settings of the agent`;
    return failTurn(run, turn, new ModelError("MAX_TOKENS_REACHED", advice));
  }
  warnOnce(turn, { setting: "max_tokens", message: `${message} after its tool calls` });
  return await completeTurn(run, turn, { finishReason: "length" });
}

/** Suspends the turn when a call waits. Null means that all calls have results, and the model reads them next. */
export function takeAnswers(run: LiveRun, turn: Turn, waiting: readonly WaitingCall[]): TurnEnd | null {
  if (waiting.some(({ kind }) => kind !== "answered")) {
    // What follows the wait has a span of its own, with the usage of the whole turn.
    turn.span.end({});
    return { kind: "suspended", turn: suspendTurn(run, turn, waiting) };
  }
  for (const answer of waiting) {
    if (answer.kind !== "answered") continue;
    turn.messages.push({
      role: "tool",
      toolCallId: answer.call.id,
      toolName: answer.call.name,
      output: answer.output,
      isError: answer.isError,
      ...(answer.images !== undefined && { images: answer.images }),
    });
  }
  turn.calls = [];
  replaceMessages(turn, keepNewestImages(turn.messages));
  if (turn.toolSteps >= run.limits.maxToolSteps) turn.mustAnswer = true;
  return null;
}
