import { AppError } from "../errors/index.ts";
import type { Route } from "./route.ts";

const RETRY_AFTER_SECONDS = 2;

/**
 * Answered over plain HTTP in proxy mode too: a probe asks the process itself, not through the proxy, and cannot send forwarding
 * headers. Neither path takes credentials or shows anything that is not public.
 */
export const PROBE_PATHS: ReadonlySet<string> = new Set(["/health", "/ready"]);

export interface HealthOptions {
  version: string;
  isDatabaseReachable(): Promise<boolean>;
}

export function healthRoutes({ version, isDatabaseReachable }: HealthOptions): Route[] {
  return [
    {
      method: "GET",
      path: "/health",
      access: "public",
      limit: null,
      handler: (_request, reply) => reply.header("cache-control", "no-store").send({ status: "ok", version }),
    },
    {
      method: "GET",
      path: "/ready",
      access: "public",
      limit: null,
      async handler(_request, reply) {
        void reply.header("cache-control", "no-store");
        const isReachable = await isDatabaseReachable().catch(() => false);
        if (isReachable) return { status: "ready", version };
        throw new AppError("SERVICE_UNAVAILABLE", "The database cannot be reached", {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      },
    },
  ];
}
