/**
 * Why a transaction has no result although none of its statements failed: too many others wait for a connection; the server accepts no
 * writes; the connection broke between a commit and its confirmation; the result is larger than permitted.
 */
export type PoolFault = "busy" | "read_only" | "in_doubt" | "too_large";

export class PoolError extends Error {
  override readonly name = "PoolError";
  readonly fault: PoolFault;

  constructor(fault: PoolFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}
