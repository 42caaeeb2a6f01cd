import { AppError } from "swarmbase/extension";

export interface TextPart {
  readonly type: "text";
  /** Texts of one turn are one message. */
  readonly turnId: string;
  readonly agentName: string;
  readonly text: string;
}

interface OpenTurn {
  readonly id: string;
  readonly name: string;
  text: string;
  /** The text that was passed on. */
  passed: string;
  /** What was passed on before the turn began again: the new text must begin with it. */
  expected: string;
  hasBegun: boolean;
  hasEnded: boolean;
}

export interface TurnOrderOptions {
  /** Text is held back until the turn has ended, because it can be discarded until then. */
  readonly isBuffered: boolean;
  /** Each text begins with the name of its agent. */
  readonly isLabelled: boolean;
}

/**
 * Puts the texts of turns that run at the same time one after the other: the first turn that writes is passed on as it arrives, and
 * the others are held back until it has ended.
 */
export class TurnOrder {
  readonly #options: TurnOrderOptions;
  readonly #turns = new Map<string, OpenTurn>();
  #current: OpenTurn | undefined;

  constructor(options: TurnOrderOptions) {
    this.#options = options;
  }

  start(id: string, name: string): void {
    this.#turns.set(id, { id, name, text: "", passed: "", expected: "", hasBegun: false, hasEnded: false });
  }

  *add(id: string, text: string): Generator<TextPart> {
    const turn = this.#turns.get(id);
    if (turn !== undefined) turn.text += text;
    yield* this.#passOn();
  }

  /** Discards the text of the turn. What was passed on of it cannot be taken back, as after a restart. */
  reset(id: string): void {
    const turn = this.#turns.get(id);
    if (turn !== undefined) Object.assign(turn, { text: "", expected: turn.passed });
  }

  /**
   * The turn begins again with this text. What was passed on cannot be taken back: it is not passed on again, and a text that differs from
   * it is an error, so that a mixture does not look like an answer.
   */
  *restart(id: string, text: string): Generator<TextPart> {
    const turn = this.#turns.get(id);
    if (turn !== undefined) Object.assign(turn, { text, expected: turn.passed });
    yield* this.#passOn();
  }

  /** Without an id, all turns have ended. */
  *end(id?: string): Generator<TextPart> {
    for (const turn of this.#turns.values()) turn.hasEnded ||= id === undefined || turn.id === id;
    yield* this.#passOn();
  }

  *#passOn(): Generator<TextPart> {
    for (let turn = this.#next(); turn !== undefined; turn = this.#next()) {
      this.#current = turn;
      if (!skipExpected(turn)) return;
      const { id, name, text, hasBegun, hasEnded } = turn;
      const label = this.#options.isLabelled && !hasBegun ? `[${name}]: ` : "";
      if (text !== "") yield { type: "text", turnId: id, agentName: name, text: label + text };
      turn.passed += text;
      turn.text = "";
      turn.hasBegun = true;
      if (!hasEnded) return;
      this.#turns.delete(id);
      this.#current = undefined;
    }
  }

  /** The turn whose text is next: the current one, else one that has ended, else one that writes. */
  #next(): OpenTurn | undefined {
    const turns = [...this.#turns.values()];
    const writing = this.#options.isBuffered ? undefined : turns.find(({ text }) => text !== "");
    return this.#current ?? turns.find(({ hasEnded }) => hasEnded) ?? writing;
  }
}

/** False while the new text of a turn is not longer than what was passed on of the old one. */
function skipExpected(turn: OpenTurn): boolean {
  const { text, expected, hasEnded } = turn;
  if (expected === "") return true;
  if (text.startsWith(expected)) {
    Object.assign(turn, { text: text.slice(expected.length), expected: "" });
    return true;
  }
  if (!hasEnded && expected.startsWith(text)) return false;
  throw new AppError(
    "SERVICE_UNAVAILABLE",
    "The answer was interrupted and begins again with another text; send the request again",
  );
}
