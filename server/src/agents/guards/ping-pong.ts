interface Handover {
  readonly agentId: string;
  readonly handoffTo: string | null;
  readonly usedTool?: boolean;
}

const TURNS_OF_TWO_CYCLES = 4;

/** Two agents have sent the conversation to and fro twice, and nothing new came in meanwhile. */
export function isPingPong(turns: readonly Handover[]): boolean {
  const recent = turns.slice(-TURNS_OF_TWO_CYCLES);
  if (recent.length < TURNS_OF_TWO_CYCLES) return false;
  const one = recent[0]?.agentId;
  const other = recent[0]?.handoffTo;
  return recent.every((turn, index) => {
    const [from, to] = index % 2 === 0 ? [one, other] : [other, one];
    return turn.usedTool !== true && turn.agentId === from && turn.handoffTo === to;
  });
}
