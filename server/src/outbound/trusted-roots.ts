import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";

/** One for all connections: reading the roots takes longer than many handshakes. Throws when a given PEM cannot be read. */
export function createTrustedRoots(extraPems: readonly string[]): SecureContext {
  const ca = [...new Set([...getCACertificates("default"), ...getCACertificates("system"), ...extraPems])];
  return createSecureContext({ ca, minVersion: "TLSv1.2" });
}
