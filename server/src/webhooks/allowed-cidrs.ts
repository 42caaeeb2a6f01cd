import type { Settings } from "../config/index.ts";

const LOOPBACK = ["127.0.0.0/8", "::1/128"] as const;

/** A service that listens on loopback only may send to loopback, except in production. */
export function decideAllowedCidrs({
  host,
  nodeEnv,
  webhookAllowedCidrs,
}: Pick<Settings, "host" | "nodeEnv" | "webhookAllowedCidrs">): readonly string[] {
  if (webhookAllowedCidrs !== null) return webhookAllowedCidrs;
  const isLoopback = host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
  return isLoopback && nodeEnv !== "production" ? LOOPBACK : [];
}
