import { toExtensionRoute } from "./operator-route.ts";
import { auditRoutes } from "./routes/audit-routes.ts";
import { logRoutes } from "./routes/log-routes.ts";
import { mailRoutes } from "./routes/mail-routes.ts";
import { metricRoutes } from "./routes/metric-routes.ts";
import { nodeRoutes } from "./routes/node-routes.ts";
import { oauthClientRoutes } from "./routes/oauth-client-routes.ts";
import { membershipRoutes } from "./routes/membership-routes.ts";
import { providerRoutes } from "./routes/provider-routes.ts";
import { settingRoutes } from "./routes/setting-routes.ts";
import { signInRoutes } from "./routes/sign-in-routes.ts";
import { tableRoutes } from "./routes/table-routes.ts";
import { userRoutes } from "./routes/user-routes.ts";

/** Loaded only where the operator view is enabled. */
export const OPERATOR_ROUTES = [
  ...membershipRoutes,
  ...[
    ...userRoutes,
    ...tableRoutes,
    ...logRoutes,
    ...metricRoutes,
    ...nodeRoutes,
    ...settingRoutes,
    ...providerRoutes,
    ...mailRoutes,
    ...signInRoutes,
    ...oauthClientRoutes,
    ...auditRoutes,
  ].map(toExtensionRoute),
];
