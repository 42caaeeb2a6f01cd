// In charge of: TLS, the port, the stages of a request (server, request, routes, response), error responses.
// Not in charge of: what the routes do, authentication itself (auth), counting itself (limits).
export { authRoutes } from "./routes/auth-routes.ts";
export { type AuthGuard, authenticationOf, principalOf } from "./request/authentication.ts";
export { clientKeyOf } from "./request/client-key.ts";
export type { HttpServerOptions, UpgradeListener } from "./server/serve-routes.ts";
export { createHttpServer, type HttpServer } from "./server/create-http-server.ts";
export { ConnectionAcceptor, type ConnectionTaker } from "./server/handover/connection-acceptor.ts";
export type { ConnectionSource, IdleConnections } from "./server/handover/connection-source.ts";
export { consoleFallback, consoleRoutes } from "./routes/console-routes.ts";
export { firstValues } from "./request/header-values.ts";
export { countRejectedCall } from "./request/rate-limits.ts";
export { functionCallOf, functionRoutes } from "./routes/function-routes.ts";
export { type HealthOptions, healthRoutes, type Obstacle } from "./routes/health-routes.ts";
export { type MetricsServer, openMetricsServer } from "./server/metrics-server.ts";
export { protectedResourceRoutes, resourceMetadataOf } from "./routes/protected-resource-routes.ts";
export { realtimeRoutes } from "./routes/realtime-routes.ts";
export { restRoutes } from "./routes/rest-routes.ts";
export { toolCallRoutes } from "./routes/tool-call-routes.ts";
export type { Route } from "./route.ts";
export type { RouteReply } from "./route-reply.ts";
export type { RouteRequest } from "./route-request.ts";
export { sendStream } from "./response/send-stream.ts";
export { keepTlsCurrent } from "./server/tls/keep-tls-current.ts";
export {
  type LoadTlsMaterialOptions,
  loadTlsMaterial,
  readLocalAuthority,
  renewLocalCertificate,
} from "./server/tls/load-tls-material.ts";
export { TlsError, type TlsMaterial } from "./server/tls/tls-material.ts";
