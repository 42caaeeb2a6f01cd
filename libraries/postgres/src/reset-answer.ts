import type { Answerable } from "./wire.ts";

const FOREIGN_STATEMENT = "foreign";

/**
 * Like `discard all`, but keeps our prepared statements. Returns a row when foreign SQL has prepared statements: one of them
 * could have a name of ours, so the connection is not used again.
 */
export const RESET_CONNECTION = `
  reset session authorization;
  reset all;
  close all;
  unlisten *;
  select pg_catalog.pg_advisory_unlock_all();
  discard temp;
  discard sequences;
  select '${FOREIGN_STATEMENT}' from pg_catalog.pg_prepared_statements where from_sql limit 1`;

/**
 * Receives the response to a reset that the transaction before it has already sent. The driver passes all messages up to the
 * next ReadyForQuery to one query, so the reset has to be a query of its own.
 */
export class ResetAnswer implements Answerable {
  /** Set by the driver, as for a transaction. */
  callback: (() => void) | null = null;
  isClean = true;

  submit(): null {
    return null;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (fields[0] === FOREIGN_STATEMENT) this.isClean = false;
  }

  handleError(): void {
    this.isClean = false;
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
