/** A call that stays open while a person is asked. Stored with the run. */
export type HeldCall = {
  /** On the node that holds it. */
  readonly id: string;
  /** How another connection gets the result. Null means that there is no way. */
  readonly resumption: { readonly sessionId: string; readonly version: string; readonly eventId: string } | null;
  /** The ids of earlier questions, which the server may send again. */
  readonly answered: readonly string[];
};
