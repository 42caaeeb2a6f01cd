import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";

/** Shared by all connections, because reading the roots takes longer than many handshakes. Throws for an invalid PEM. */
export function createTrustedRoots(extraPems: readonly string[]): SecureContext {
  const ca = [...new Set([...getCACertificates("default"), ...getCACertificates("system"), ...extraPems])];
  return createSecureContext({ ca, minVersion: "TLSv1.2" });
}
