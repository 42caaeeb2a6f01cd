import { toExtensionRoute } from "./operator-route.ts";
import { auditRoutes } from "./routes/audit.ts";
import { logRoutes } from "./routes/logs.ts";
import { mailRoutes } from "./routes/mail.ts";
import { metricRoutes } from "./routes/metrics.ts";
import { nodeRoutes } from "./routes/nodes.ts";
import { oauthClientRoutes } from "./routes/oauth-clients.ts";
import { membershipRoutes } from "./routes/operators.ts";
import { providerRoutes } from "./routes/providers.ts";
import { settingRoutes } from "./routes/settings.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { tableRoutes } from "./routes/tables.ts";
import { userRoutes } from "./routes/users.ts";

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
