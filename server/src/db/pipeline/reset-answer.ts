import { FOREIGN_STATEMENT } from "./sql/reset-connection.ts";
import type { Answerable } from "./wire.ts";

/**
 * Takes the answer of a reset that the flight before it has already sent. The driver hands every answer up to the next
 * ReadyForQuery to one statement, so the reset has to be a statement of its own.
 */
export class ResetAnswer implements Answerable {
  /** Set by the driver, as a flight's is. */
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
