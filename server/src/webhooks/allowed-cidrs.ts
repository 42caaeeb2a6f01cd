import { isIPv4 } from "node:net";
import type { Settings } from "../config/index.ts";

const LOOPBACK = ["127.0.0.0/8", "::1/128"] as const;

type ExposureSettings = Pick<Settings, "host" | "tlsMode" | "publicUrl" | "nodeEnv">;

/** Without a setting, only a service that no other machine can reach may send to loopback, and not in production. */
export function decideAllowedCidrs(
  settings: ExposureSettings & Pick<Settings, "webhookAllowedCidrs">,
): readonly string[] {
  return settings.webhookAllowedCidrs ?? (isReachableByOthers(settings) ? [] : LOOPBACK);
}

/** A proxy or a public URL means that others use the service, even though it listens on loopback itself. */
export function isReachableByOthers({ host, tlsMode, publicUrl, nodeEnv }: ExposureSettings): boolean {
  return (
    nodeEnv === "production" ||
    tlsMode === "proxy" ||
    !isLoopbackHost(host) ||
    (publicUrl !== null && !isLoopbackHost(new URL(publicUrl).hostname))
  );
}

/** The name of a URL has an IPv6 address in brackets. */
function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."));
}
