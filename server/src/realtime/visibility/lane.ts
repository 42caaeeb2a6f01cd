/** Something to hand to the subscribers of one identity, once it is known what they may see. */
export interface Parcel {
  /** Parcels with the same question are asked together. */
  readonly question: Question;
  readonly images: readonly string[];
  /** Not to be asked before. */
  readonly ready: Promise<void>;
  /** One answer for each image. */
  settle(answers: readonly boolean[]): void;
  fail(error: unknown): void;
}

export interface Question {
  readonly text: string;
}

export type Ask = (question: Question, images: readonly string[]) => Promise<readonly boolean[]>;

type Waiting =
  | { readonly kind: "parcel"; readonly parcel: Parcel }
  | { readonly kind: "call"; call(): void | Promise<void> };

const MAX_BATCH = 200;

/**
 * Keeps the order of what one identity gets while the database is asked. Others have lanes of their own, so one whose
 * rules are slow or fail holds up nobody else.
 */
export class Lane {
  readonly #ask: Ask;
  readonly #maxWaiting: number;
  #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(ask: Ask, maxWaiting: number) {
    this.#ask = ask;
    this.#maxWaiting = maxWaiting;
  }

  get isIdle(): boolean {
    return !this.#isBusy;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#maxWaiting;
  }

  /** Runs at once when nothing is before it. */
  call(call: () => void): void {
    if (this.isIdle) call();
    else this.#waiting.push({ kind: "call", call });
  }

  /** What comes later waits for this too. */
  waitFor(ready: Promise<void>): void {
    this.#push({ kind: "call", call: () => ready });
  }

  put(parcel: Parcel): void {
    this.#push({ kind: "parcel", parcel });
  }

  /** Resolves when all that is in the lane now has left it. */
  drained(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ kind: "call", call: resolve }));
  }

  #push(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    // Whatever else arrives in this turn of the loop is asked in the same go.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const parcels = batch.flatMap((waiting) => (waiting.kind === "parcel" ? [waiting.parcel] : []));
      const answers = await this.#askAll(parcels);
      for (const waiting of batch) {
        if (waiting.kind === "call") await waiting.call();
        else answers.get(waiting.parcel)?.();
      }
    }
    this.#isBusy = false;
  }

  /** One question fails without the others. */
  async #askAll(parcels: readonly Parcel[]): Promise<Map<Parcel, () => void>> {
    const outcomes = new Map<Parcel, () => void>();
    const byQuestion = Map.groupBy(parcels, ({ question }) => question.text);
    await Promise.all(
      [...byQuestion.values()].map(async (asked) => {
        const [first] = asked;
        if (first === undefined) return;
        try {
          await Promise.all(asked.map(({ ready }) => ready));
          const answers = await this.#ask(
            first.question,
            asked.flatMap(({ images }) => images),
          );
          let at = 0;
          for (const parcel of asked) {
            const own = answers.slice(at, at + parcel.images.length);
            at += parcel.images.length;
            outcomes.set(parcel, () => parcel.settle(own));
          }
        } catch (error) {
          for (const parcel of asked) outcomes.set(parcel, () => parcel.fail(error));
        }
      }),
    );
    return outcomes;
  }
}
