import { buildContext } from "../context/build-context.ts";
import { fallbackSelection, readSelection, selectionTool } from "../strategies/selection-tool.ts";
import { callBeside, recordAlone, type SideCallRecord } from "../model/call-beside.ts";
import { readAllowed } from "../guardrails/check-input.ts";
import type { LiveRun } from "../execution/live-run.ts";
import { BudgetSpent } from "../model/run-budget.ts";
import { findCoordinator } from "../tools/toolset.ts";

const ATTEMPTS = 2;
const MAX_CHOICE_TOKENS = 256;
const INSTRUCTION =
  "You moderate this conversation and do not take part in it. Decide who should speak next, or that nothing more needs to be said.";

/** The id of the next speaker, or `done`, as the coordinator's model chooses. Falls back to the order of positions. */
export async function selectSpeaker(run: LiveRun): Promise<string> {
  const lastSpeakerId = run.finished.at(-1)?.agentId ?? null;
  const coordinatorId = findCoordinator(run);
  const coordinator = run.context.agents.find(({ id }) => id === coordinatorId) ?? run.agents[0];
  if (coordinator === undefined) return "done";
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      const choice = await askModel(run, coordinator, lastSpeakerId);
      if (choice !== null && choice !== lastSpeakerId) return choice;
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
  const { id, name, framework, model } = coordinator;
  const info = models.describe(framework, model);
  const record = (calls: SideCallRecord): void => recordAlone(run, id, calls);
  const read = await readAllowed(run, messagesSoFar(run), {
    agent: coordinator,
    turnId: null,
    startChat: run.span.startChat,
    record,
  });
  const context = buildContext({
    agent: { id: run.context.run.id, name: "Moderator", role: null, systemPrompt: INSTRUCTION },
    participants: run.agents.map((agent) => ({ id: agent.id, name: agent.name, type: "agent", role: agent.role })),
    messages: read,
    historyLimit: run.limits.historyLimit,
    tokenBudget: Math.max(MAX_CHOICE_TOKENS, Math.floor(info.contextWindow / 2)),
    charsPerToken: calibration.ratioFor(info.model),
  });
  const { call, text } = await callBeside(
    run,
    {
      turnId: null,
      framework,
      model,
      agent: { id, name },
      system: context.system,
      messages: context.messages,
      sources: context.sources,
      tool: selectionTool(run.agents, lastSpeakerId),
      settings: { temperature: 0 },
      maxTokens: MAX_CHOICE_TOKENS,
      startChat: run.span.startChat,
    },
    record,
  );
  return readSelection(call?.inputText ?? text, run.agents);
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
