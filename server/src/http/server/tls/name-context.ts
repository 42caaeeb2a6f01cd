import { createSecureContext, type SecureContext } from "node:tls";
import type { TlsMaterial } from "./tls-material.ts";

export const MIN_TLS_VERSION = "TLSv1.2";
const NAME = "localhost";

/** The certificate for clients that name the host. A client that connects to an IP address names none. */
export class NameContext {
  #context: SecureContext | undefined;

  /** Applies to new connections. */
  renew({ nameCert: cert, key }: TlsMaterial): void {
    this.#context = cert === null ? undefined : createSecureContext({ cert, key, minVersion: MIN_TLS_VERSION });
  }

  /** Without a context, Node.js uses that of the server. */
  readonly find = (name: string, done: (error: Error | null, context?: SecureContext) => void): void => {
    done(null, name === NAME ? this.#context : undefined);
  };
}
