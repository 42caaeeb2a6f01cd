export interface TlsMaterial {
  cert: string;
  key: string;
  /** Absolute path of what a client must trust; null with the operator's own certificate. */
  caFile: string | null;
}

/** Certificates that cannot be used or made; the message is for the operator. */
export class TlsError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TlsError";
  }
}
