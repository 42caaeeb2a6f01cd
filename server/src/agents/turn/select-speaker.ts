import { buildContext } from "../context/build-context.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { ModelFinish, ModelToolCall } from "../providers/model-port.ts";
import { fallbackSelection, readSelection, SELECTION_TOOL_NAME, selectionTool } from "../strategies/selection-tool.ts";
import { openCallMeter, toUsageRow } from "../model/call-meter.ts";
import { createCallRecorder } from "../model/call-recorder.ts";
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
  const { framework, model } = coordinator;
  const info = models.describe(framework, model);
  const ratio = calibration.ratioFor(info.model);
  const tool = selectionTool(run.agents, lastSpeakerId);
  const context = buildContext({
    agent: { id: run.context.run.id, name: "Moderator", role: null, systemPrompt: INSTRUCTION },
    participants: run.agents.map(({ id, name, role }) => ({ id, name, type: "agent", role })),
    messages: messagesSoFar(run),
    historyLimit: run.limits.historyLimit,
    tokenBudget: Math.max(MAX_CHOICE_TOKENS, Math.floor(info.contextWindow / 2)),
    charsPerToken: ratio,
  });
  // A reasoning model would use up this limit before it chooses.
  const settings = { temperature: 0, ...(!info.isReasoning && { max_tokens: MAX_CHOICE_TOKENS }) };
  const maxOutputTokens = models.maxTokens(framework, model, settings);
  const inputTokens = context.estimatedTokens + estimateTokens(JSON.stringify(tool), ratio);
  const meter = await openCallMeter(run, {
    turnId: null,
    framework,
    model: info.model,
    inputTokens,
    maxOutputTokens,
    minOutputTokens: maxOutputTokens,
    charsPerToken: ratio,
    signal: run.signal,
  });
  const recorder = createCallRecorder(run, {
    startChat: run.span.startChat,
    signal: run.signal,
    settings: {},
    system: context.system,
    messages: context.messages,
  });
  let call: ModelToolCall | null = null;
  let text = "";
  let finish: ModelFinish | null = null;
  let fault: unknown = null;
  try {
    const stream = models.stream({
      framework,
      model,
      system: context.system,
      messages: context.messages,
      tools: info.hasTools ? [tool] : [],
      toolChoice: info.hasTools ? { tool: SELECTION_TOOL_NAME } : "none",
      settings,
      ...(meter.reservationId !== null && { maxOutputTokens: meter.maxOutputTokens }),
      signal: run.signal,
      agent: { id: coordinator.id, name: coordinator.name },
      attempts: recorder,
    });
    for await (const event of stream) {
      meter.observe(event);
      recorder.observe(event);
      if (event.type === "tool_call") call ??= event.call;
      else if (event.type === "text") text += event.delta;
      else if (event.type === "finish") finish = event.reason;
    }
  } catch (error) {
    fault = error;
    throw error;
  } finally {
    const spent = meter.close();
    const modelCalls = recorder.close({ finish, error: fault, spent, text });
    if (modelCalls.length > 0)
      void run.writer.submit({
        op: "add_model_calls",
        turn_id: null,
        model_agent_id: coordinator.id,
        model_calls: modelCalls,
      });
    if (spent !== null) {
      void run.writer.submit({
        op: "add_usage",
        id: run.ports.newId(),
        agent_id: coordinator.id,
        framework: spent.framework,
        model: spent.model,
        payer_id: run.context.payer_id,
        usage: toUsageRow(spent.usage, spent.costUsd),
      });
      // Recorded in the same transaction, so that it counts once.
      if (meter.reservationId !== null) run.budget.settle([meter.reservationId], null);
    }
  }
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
          },
        ];
  const ownCount = read.filter(
    ({ run_id, sender_type }) => run_id === context.run.id && sender_type === "agent",
  ).length;
  const unread = run.finished.filter(({ text }) => text !== "").slice(ownCount);
  return [
    ...read,
    ...unread.map((turn, index) => ({
      id: turn.agentId,
      seq: (read.at(-1)?.seq ?? 0) + index + 1,
      sender_type: "agent" as const,
      sender_id: turn.agentId,
      sender_name: context.agents.find(({ id }) => id === turn.agentId)?.name ?? "Agent",
      content: turn.text,
      run_id: context.run.id,
    })),
  ];
}
