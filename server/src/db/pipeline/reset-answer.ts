import { FOREIGN_STATEMENT } from "./sql/reset-connection.ts";
import type { Answerable } from "./wire.ts";

/**
 * Receives the response to a reset that the transaction before it has already sent. The driver passes all messages up to the
 * next ReadyForQuery to one query, so the reset has to be a query of its own.
 */
export class ResetAnswer implements Answerable {
  /** Set by the driver, as for a transaction. */
  callback: (() => void) | null = null;
  #isClean = true;

  get isClean(): boolean {
    return this.#isClean;
  }

  submit(): null {
    return null;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (fields[0] === FOREIGN_STATEMENT) this.#isClean = false;
  }

  handleError(): void {
    this.#isClean = false;
    this.callback?.();
  }

  handleReadyForQuery(): void {
    this.callback?.();
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
