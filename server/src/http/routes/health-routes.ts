import type { DatabaseFault } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { Route } from "../route.ts";

const RETRY_AFTER_SECONDS = 2;

/** Why a load balancer should send requests elsewhere. */
export type Obstacle = DatabaseFault | "disk_full" | "stopping";

const MESSAGES: Readonly<Record<Obstacle, string>> = {
  unreachable: "The database cannot be reached",
  read_only: "The database takes no writes",
  exhausted: "No connection to the database is free",
  disk_full: "The disk of the database is full",
  stopping: "The service is stopping",
};

export interface HealthOptions {
  version: string;
  /** Null when requests, including writes, can be served. */
  findObstacle(): Promise<Obstacle | null>;
  /** Whether the database is a restored copy, in which deliveries, agent runs and mails are held. */
  isHeldCopy(): boolean;
  /** Whether nodes count limits separately because the store that they share is unavailable. */
  isLimitStoreAway(): boolean;
}

export function healthRoutes({ version, findObstacle, isHeldCopy, isLimitStoreAway }: HealthOptions): Route[] {
  const describe = (status: "ok" | "ready") => ({
    status,
    version,
    ...(isHeldCopy() && { restored_copy: "held" }),
    ...(isLimitStoreAway() && { limit_store: "unavailable" }),
  });
  return [
    {
      method: "GET",
      path: "/health",
      access: "public",
      limit: null,
      handler: (_request, reply) => reply.header("cache-control", "no-store").send(describe("ok")),
    },
    {
      method: "GET",
      path: "/ready",
      access: "public",
      limit: null,
      async handler(_request, reply) {
        void reply.header("cache-control", "no-store");
        const obstacle = await findObstacle().catch(() => "unreachable" as const);
        if (obstacle === null) return describe("ready");
        throw new AppError("SERVICE_UNAVAILABLE", MESSAGES[obstacle], { retryAfterSeconds: RETRY_AFTER_SECONDS });
      },
    },
  ];
}
