// In charge of: TLS, the port, what every request goes through, the route table, and error answers.
// Not in charge of: what the routes do, who a caller is, or what a call costs.
export { authRoutes } from "./auth-routes.ts";
export { type AuthGuard, authenticationOf } from "./authentication.ts";
export { clientKeyOf } from "./client-key.ts";
export {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type UpgradeListener,
} from "./create-http-server.ts";
export { consoleFallback, consoleRoutes } from "./console-routes.ts";
export { functionRoutes } from "./function-routes.ts";
export { type HealthOptions, healthRoutes, type Obstacle } from "./health.ts";
export { type MetricsServer, openMetricsServer } from "./metrics-server.ts";
export { realtimeRoutes } from "./realtime-routes.ts";
export { referenceRoutes } from "./reference-routes.ts";
export { restRoutes } from "./rest-routes.ts";
export type { Route } from "./route.ts";
export { keepTlsCurrent } from "./tls/keep-tls-current.ts";
export { type LoadTlsMaterialOptions, loadTlsMaterial, renewLocalCertificate } from "./tls/load-tls-material.ts";
export { TlsError } from "./tls/tls-error.ts";
export type { TlsMaterial } from "./tls/tls-material.ts";
