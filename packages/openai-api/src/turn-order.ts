export interface TextPart {
  readonly type: "text";
  /** Texts of one turn are one message. */
  readonly turnId: string;
  readonly agentName: string;
  readonly text: string;
}

interface OpenTurn {
  readonly name: string;
  text: string;
  hasBegun: boolean;
}

export interface TurnOrder {
  start(id: string, name: string): void;
  add(id: string, text: string): Generator<TextPart>;
  /** Discards the text of the turn. */
  reset(id: string): void;
  end(id: string): Generator<TextPart>;
  endAll(): Generator<TextPart>;
}

/**
 * Puts the texts of turns that run at the same time one after the other: the first turn that writes is passed on as it arrives, and
 * the others are held back until it has ended.
 */
export function createTurnOrder({
  isBuffered,
  isLabelled,
}: {
  readonly isBuffered: boolean;
  readonly isLabelled: boolean;
}): TurnOrder {
  const turns = new Map<string, OpenTurn>();
  let currentId: string | null = null;

  function* flush(id: string): Generator<TextPart> {
    const turn = turns.get(id);
    if (turn === undefined || turn.text === "") return;
    const label = isLabelled && !turn.hasBegun ? `[${turn.name}]: ` : "";
    yield { type: "text", turnId: id, agentName: turn.name, text: label + turn.text };
    turn.hasBegun = true;
    turn.text = "";
  }

  function* passOn(): Generator<TextPart> {
    if (isBuffered) return;
    currentId ??= [...turns].find(([, { text }]) => text !== "")?.[0] ?? null;
    if (currentId !== null) yield* flush(currentId);
  }

  const order: TurnOrder = {
    start: (id, name) => void turns.set(id, { name, text: "", hasBegun: false }),
    *add(id, text) {
      const turn = turns.get(id);
      if (turn !== undefined) turn.text += text;
      yield* passOn();
    },
    reset(id) {
      const turn = turns.get(id);
      if (turn !== undefined) turn.text = "";
    },
    *end(id) {
      if (currentId !== null && currentId !== id) {
        // Its text follows that of the current turn.
        ended.push(id);
        return;
      }
      yield* flush(id);
      turns.delete(id);
      currentId = null;
      while (ended.length > 0) {
        const next = ended.shift() ?? "";
        yield* flush(next);
        turns.delete(next);
      }
      yield* passOn();
    },
    *endAll() {
      if (currentId !== null) yield* order.end(currentId);
      for (const id of turns.keys()) yield* flush(id);
    },
  };
  const ended: string[] = [];
  return order;
}
