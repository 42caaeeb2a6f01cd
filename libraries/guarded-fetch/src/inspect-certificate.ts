import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { buildTlsOptions } from "./connection/guarded-connector.ts";

interface InspectOptions {
  readonly url: URL;
  /** Certificate authorities in PEM, trusted in addition to those of the system. */
  readonly ca: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Makes a TLS handshake and sends nothing else, so that a certificate can be described that clients reject. `fault` is the code for
 * which they do; null when they do not.
 */
export async function inspectCertificate({
  url,
  ca,
  signal,
}: InspectOptions): Promise<{ readonly certificate: X509Certificate; readonly fault: string | null }> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const { secureContext } = buildTlsOptions(ca);
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port: Number(url.port || "443"), ...name, secureContext, rejectUnauthorized: false });
  // Also after the deadline, when nobody waits any more.
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect", { signal });
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new Error("The server has sent no certificate");
    return { certificate, fault: socket.authorized ? null : String(socket.authorizationError) };
  } finally {
    socket.destroy();
  }
}
