import type { JsonObject } from "@swarmbase/sdk";

interface PassedOn {
  readonly title: string;
  readonly text: string;
}

/** What another agent asked in a turn, and to whom the agent handed over. */
export function listPassedOn(turn: {
  readonly asked: JsonObject | null;
  readonly handoff: JsonObject | null;
}): readonly PassedOn[] {
  const { asked, handoff } = turn;
  return [
    ...(asked === null
      ? []
      : [{ title: `Asked by ${textOf(asked["by_agent_name"])}`, text: textOf(asked["message"]) }]),
    ...(handoff === null
      ? []
      : [{ title: `Handed over to ${textOf(handoff["agent_name"])}`, text: textOf(handoff["reason"]) }]),
  ];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
