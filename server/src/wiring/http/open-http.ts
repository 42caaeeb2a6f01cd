import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { authEndpoints, authenticate, checkRequestSignature, sendsMails, watchFirstStart } from "../../auth/index.ts";
import { type ConsoleModule, openConsole } from "../../console/index.ts";
import type { DiskReserve } from "../../db/index.ts";
import {
  authRoutes,
  consoleFallback,
  consoleRoutes,
  createHttpServer,
  functionRoutes,
  type HealthOptions,
  healthRoutes,
  type HttpServer,
  protectedResourceRoutes,
  realtimeRoutes,
  resourceMetadataOf,
  restRoutes,
  type Route,
  toolCallRoutes,
} from "../../http/index.ts";
import type { PreparedNode } from "../database/prepare-node.ts";
import type { OpenNodeContext } from "../node-context.ts";
import type { Services } from "../services/services.ts";

interface OpenHttpOptions extends Pick<PreparedNode, "tls" | "prepared">, Pick<HealthOptions, "findObstacle"> {
  readonly reserve: DiskReserve | null;
  /** Requests wait for it. */
  readonly credentialsWritten: Promise<void>;
}

interface OpenedHttp {
  readonly server: HttpServer;
  readonly hasDocs: boolean;
  readonly hasConsole: boolean;
}

/** What extensions serve and the console links to, if they are loaded: a page, or the API behind a page of the console. */
const LINKED_PAGES = ["reference", "docs", "operator"] as const;

/** Opens the HTTP server with the routes of the services and the console. It does not listen yet. */
export function openHttp(
  context: OpenNodeContext,
  services: Services,
  { tls, prepared: { anonKey }, reserve, credentialsWritten, findObstacle }: OpenHttpOptions,
): OpenedHttp {
  const { settings, primary = null, observer, traceSource, closers } = context;
  const { auth, limits, agents, extensions, webhooks } = services;
  const { module: realtime } = services.realtime;
  const routes = buildRouteTable(context, services, findObstacle);
  const consoleModule = openConsoleModule(context, services, { routes, anonKey });
  const server = createHttpServer({
    settings,
    tls,
    source: primary?.source ?? null,
    routes: [...routes, ...(consoleModule === null ? [] : consoleRoutes(consoleModule))].map((route) =>
      delayUntil(credentialsWritten, reserve === null ? route : keepReserve(reserve, route)),
    ),
    ...(consoleModule !== null && { fallback: consoleFallback(consoleModule) }),
    guard: (rule, credentials) => authenticate(auth, rule, credentials),
    limits,
    resourceMetadataOf: (resource) => resourceMetadataOf(auth.baseUrl, resource),
    helpLinks: extensions.helpLinks,
    checkSignature: (request) => checkRequestSignature(auth, request),
    ...(settings.roles.includes("realtime") && {
      onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) =>
        realtime.handleUpgrade(request, socket, head),
    }),
    observer,
    traceSource,
  });
  closers.add("http server", () => server.close());
  closers.add("sockets", () => realtime.close());
  // Streams of runs end before the server waits for its connections; the runs go on.
  closers.add("streams of runs", async () => agents.respond.close());
  closers.add("waiting readers of feeds", async () => webhooks.feedWaits.close());
  return { server, hasDocs: routes.some(({ path }) => path === "/docs"), hasConsole: consoleModule !== null };
}

/** Null on a node without the role `api`, or with `CONSOLE_ENABLED=false`. */
function openConsoleModule(
  context: OpenNodeContext,
  { auth, agents: { providerNames, preferredFramework, providerSetup } }: Pick<Services, "auth" | "agents">,
  { routes, anonKey }: { readonly routes: readonly Route[]; readonly anonKey: string },
): ConsoleModule | null {
  const { settings, copyHold, closers } = context;
  if (!settings.consoleEnabled || !settings.roles.includes("api")) return null;
  const mail = sendsMails(settings) ? "smtp" : "file";
  const links = LINKED_PAGES.filter((name) =>
    routes.some(({ path }) => path === `/${name}` || path.startsWith(`/${name}/v1/`)),
  );
  const isHeldCopy = (): boolean => copyHold.isHeld;
  const isFirstStart = watchFirstStart(auth);
  const providers = { providerNames, preferredFramework, mayAddProvider: () => providerSetup.isAllowed() };
  const portalAncestors = settings.portalFrameAncestors;
  const pages = { anonKey, mail, links, portalAncestors, isHeldCopy, isFirstStart } as const;
  const consoleModule = openConsole({ ...context, ...pages, ...providers });
  closers.add("console", () => consoleModule.close());
  return consoleModule;
}

/** Delays requests until the credentials file is written, which needs the port and so comes after listening. */
function delayUntil(written: Promise<void>, route: Route): Route {
  const { handler } = route;
  let isWritten = false;
  const onWritten = (): void => {
    isWritten = true;
  };
  written.then(onWritten, () => {});
  return {
    ...route,
    handler: (request, reply) => (isWritten ? handler(request, reply) : written.then(() => handler(request, reply))),
  };
}

/** Rejects whatever is not known to read only. */
function keepReserve(reserve: DiskReserve, route: Route): Route {
  const { handler } = route;
  if (["GET", "HEAD", "OPTIONS"].includes(route.method)) return route;
  return {
    ...route,
    handler: (request, reply) => {
      reserve.requireSpace();
      return handler(request, reply);
    },
  };
}

/** The routes of the services. A node without the role `api` has only those of probes. */
function buildRouteTable(
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
