/** Certificates that cannot be used or made; the message is for the operator. */
export class TlsError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TlsError";
  }
}
