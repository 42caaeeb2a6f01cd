export interface TlsMaterial {
  cert: string;
  key: string;
  /** For clients that name the host, with the same key; null means that they get `cert` too. */
  nameCert: string | null;
  /** Absolute path of the authority that clients must trust; null with the operator's certificate. */
  caFile: string | null;
}

/** Certificates that cannot be used or created; the message is for the operator. */
export class TlsError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TlsError";
  }
}
