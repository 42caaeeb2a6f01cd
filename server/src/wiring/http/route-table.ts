import { authEndpoints } from "../../auth/index.ts";
import {
  authRoutes,
  functionRoutes,
  type HealthOptions,
  healthRoutes,
  protectedResourceRoutes,
  type Route,
  realtimeRoutes,
  restRoutes,
  toolCallRoutes,
} from "../../http/index.ts";
import type { OpenNodeContext } from "../node-context.ts";
import type { Services } from "../services/services.ts";

/** The routes of the services. A node without the role `api` has only those of probes. */
export function buildRouteTable(
  { settings, version, copyHold }: OpenNodeContext,
  { auth, rest, functions, limits, realtime, agents, extensions }: Services,
  findObstacle: HealthOptions["findObstacle"],
): readonly Route[] {
  const health = healthRoutes({
    version,
    findObstacle,
    isHeldCopy: () => copyHold.isHeld,
    isLimitStoreAway: () => limits.isStoreAway(),
  });
  if (!settings.roles.includes("api")) return health;
  return [
    ...health,
    ...authRoutes(authEndpoints, auth),
    ...restRoutes(rest),
    ...functionRoutes({ functions, limits }),
    ...realtimeRoutes(realtime.module.broadcast),
    ...toolCallRoutes(agents.tools.callKeys),
    ...extensions.routes,
    ...protectedResourceRoutes(extensions.routes, auth),
  ];
}
