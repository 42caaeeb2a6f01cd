import type { LiveRun } from "../run/live-run.ts";
import type { QuestionRow } from "../writer/steps.ts";
import type { Turn } from "./turn.ts";
import type { ContextSwarm } from "../context/render-system.ts";
import type { Participant } from "../context/speakers.ts";
import type { TranscriptMessage } from "../context/transcript.ts";

/** The messages of the swarm as the agent of a turn reads them: with the questions that it was asked, and the reason of a handoff. */
export function transcriptOf(run: LiveRun, turn: Turn): readonly TranscriptMessage[] {
  const { agent, asked } = turn;
  const read =
    run.questions.size === 0
      ? run.transcript
      : run.transcript.flatMap((message) => {
          const question = message.sender_id === agent.id ? run.questions.get(message.id) : undefined;
          return question === undefined ? [message] : [compose(run, question, message.seq), message];
        });
  const last = asked ?? findHandoff(run, agent.id);
  return last === null ? read : [...read, compose(run, last, (run.transcript.at(-1)?.seq ?? 0) + 1)];
}

/** What the agent that handed over says to the next one. Null: the turn does not follow a handoff with a reason. */
function findHandoff({ finished, context }: LiveRun, agentId: string): QuestionRow | null {
  const last = finished.at(-1);
  if (last?.handoffTo !== agentId || !last.handoffReason) return null;
  const name = context.agents.find(({ id }) => id === last.agentId)?.name ?? "agent";
  return {
    by_agent_id: last.agentId,
    by_agent_name: name,
    message: `(hands the conversation over to you) ${last.handoffReason}`,
  };
}

function compose({ context }: LiveRun, question: QuestionRow, seq: number): TranscriptMessage {
  return {
    id: `${seq}:${question.by_agent_id}`,
    seq,
    sender_type: "agent",
    sender_id: question.by_agent_id,
    sender_name: question.by_agent_name,
    content: question.message,
    run_id: context.run.id,
    isComposed: true,
  };
}

export function participantsOf({ context }: LiveRun): readonly Participant[] {
  return [
    ...context.people.map(({ id, name }) => ({ id, name, type: "user" as const })),
    ...context.agents.map(({ id, name, role }) => ({ id, name, type: "agent" as const, role })),
  ];
}

/** What an agent is told about the swarm. The preamble of the owner is for the owner's agents alone. */
export function swarmFor({ context: { swarm } }: LiveRun, agent: { readonly user_id: string }): ContextSwarm {
  const { preamble } = swarm.settings;
  return { ...swarm, preamble: agent.user_id === swarm.owner_id && typeof preamble === "string" ? preamble : null };
}
