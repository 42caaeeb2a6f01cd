import { coordinatorOf } from "../strategies/who-answers.ts";
import { buildContext } from "../context/build-context.ts";
import { participantsFor, swarmFor } from "./turn-context.ts";
import { nameSpeakers } from "../context/speakers.ts";
import { fallbackSelection, readSelection, selectionTool, toChoices } from "../strategies/selection-tool.ts";
import { toUsageRow } from "../model/call-meter.ts";
import { callModel, type CallRecord, createAnswerCollector } from "../model/call-model.ts";
import { recordPrompt } from "../model/record-prompt.ts";
import { readAllowed } from "./check-input.ts";
import type { Asker } from "./asker.ts";
import { grantOf, type LiveRun, payerOf } from "../run/live-run.ts";
import { BudgetSpent } from "../run/run-budget.ts";

/** A model that names nobody is asked once more in a run. From then on the order of positions applies. */
const MAX_MISSED = 2;
const MAX_CHOICE_TOKENS = 256;
const INSTRUCTION =
  "Now you do not answer: you decide who should speak next, or that nothing more needs to be said. Call the tool with your choice.";
const OWN_TURN = "(Decide who speaks next.)";

/** The id of the next speaker, or `done`, as the coordinator's model chooses. Falls back to the order of positions. */
export async function selectSpeaker(run: LiveRun): Promise<string> {
  const lastSpeakerId = run.finished.at(-1)?.agentId ?? null;
  const coordinatorId = coordinatorOf(run);
  const coordinator = run.context.agents.find(({ id }) => id === coordinatorId) ?? run.agents[0];
  if (coordinator === undefined) return "done";
  for (; run.missedSelections < MAX_MISSED; run.missedSelections += 1) {
    try {
      const choice = await askModel(run, coordinator, lastSpeakerId);
      if (choice !== null) return choice;
    } catch (error) {
      if (run.signal.aborted || error instanceof BudgetSpent) throw error;
    }
  }
  // All agents have spoken and the model cannot choose: another round would not help.
  const haveSpoken = new Set(run.finished.map(({ agentId }) => agentId));
  if (run.agents.every(({ id }) => haveSpoken.has(id))) return "done";
  return fallbackSelection(run.agents, lastSpeakerId);
}

async function askModel(
  run: LiveRun,
  coordinator: LiveRun["agents"][number],
  lastSpeakerId: string | null,
): Promise<string | null> {
  const { models, calibration } = run.ports;
  const { id, framework, model, system_prompt: prompt } = coordinator;
  const info = models.describe(framework, model);
  const caller: Asker = {
    agent: coordinator,
    turnId: null,
    startChat: run.span.startChat,
    record: (calls) => recordAlone(run, id, calls),
  };
  const read = await readAllowed(run, messagesSoFar(run), caller);
  const participants = participantsFor(run, id);
  const speakers = nameSpeakers(coordinator, participants, []);
  const others = run.agents.filter((agent) => agent.id !== lastSpeakerId);
  const choices = toChoices(others, (agent) => speakers.labelOfParticipant({ ...agent, type: "agent" }));
  const context = buildContext({
    agent: { ...coordinator, systemPrompt: [prompt?.trim() ?? "", INSTRUCTION].join("\n\n").trimStart() },
    swarm: swarmFor(run, coordinator),
    participants,
    messages: read,
    historyLimit: run.limits.historyLimit,
    tokenBudget: Math.max(MAX_CHOICE_TOKENS, Math.floor(info.contextWindow / 2)),
    charsPerToken: calibration.ratioFor(info.model),
    ownTurn: OWN_TURN,
  });
  const tool = selectionTool(choices);
  const answer = createAnswerCollector();
  await callModel(run, {
    caller,
    request: {
      framework,
      model,
      system: context.system,
      messages: context.messages,
      tools: [tool],
      toolChoice: { tool: tool.name },
      settings: { temperature: 0 },
      signal: run.signal,
    },
    answerTokens: MAX_CHOICE_TOKENS,
    reader: answer,
    describePrompt: (sent) => recordPrompt(sent, context.sources),
  });
  return readSelection(answer.call?.inputText ?? answer.text, choices);
}

/** Records calls that belong to no turn. */
function recordAlone(run: LiveRun, agentId: string, { spent, reservationId, modelCalls }: CallRecord): void {
  const common = { grant_id: grantOf(run.context, agentId) };
  if (modelCalls.length > 0)
    void run.writer.submit({
      op: "add_model_calls",
      turn_id: null,
      model_agent_id: agentId,
      model_calls: modelCalls,
      ...common,
    });
  if (spent === null) return;
  void run.writer.submit({
    op: "add_usage",
    id: run.ports.newId(),
    agent_id: agentId,
    framework: spent.framework,
    model: spent.model,
    payer_id: payerOf(run.context, agentId),
    usage: toUsageRow(spent.usage, spent.costUsd),
    ...common,
  });
  // Recorded in the same transaction, so that it counts once.
  if (reservationId !== null) run.budget.settle([reservationId], null);
}

/** The messages that turns have read, and the answers since the last turn began. */
function messagesSoFar(run: LiveRun): LiveRun["transcript"] {
  const { context } = run;
  const read: LiveRun["transcript"] =
    run.transcript.length > 0 || context.message === null
      ? run.transcript
      : [
          {
            id: context.run.message_id ?? context.run.id,
            seq: 0,
            sender_type: "user",
            sender_id: context.run.user_id,
            sender_name: context.people.find(({ id }) => id === context.run.user_id)?.name ?? "User",
            content: context.message,
            run_id: context.run.id,
            isComposed: true,
          },
        ];
  const ownCount = read.filter(
    ({ run_id, sender_type }) => run_id === context.run.id && sender_type === "agent",
  ).length;
  const unread = run.finished.filter(({ text }) => text !== "").slice(ownCount);
  return [
    ...read,
    ...unread.map((turn, index) => ({
      id: `${index}:${turn.agentId}`,
      seq: (read.at(-1)?.seq ?? 0) + index + 1,
      sender_type: "agent" as const,
      sender_id: turn.agentId,
      sender_name: context.agents.find(({ id }) => id === turn.agentId)?.name ?? "Agent",
      content: turn.text,
      run_id: context.run.id,
      isComposed: true as const,
    })),
  ];
}
