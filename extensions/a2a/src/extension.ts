import { isUuid } from "@swarmbase/sdk";
import {
  defineExtension,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionRoute,
} from "swarmbase/extension";
import { describeError, type Fault, ProtocolError, renderHttpFault, renderRpcFault } from "./faults.ts";
import { type CardSource, RESOURCE, type Session, type Target } from "./target.ts";

const WELL_KNOWN = "/.well-known/agent-card.json";
/** Cards change rarely. Those of a caller are its own. */
const CARD_HEADERS = { "cache-control": "public, max-age=60", vary: "authorization" };
const OWN_CARD_HEADERS = { ...CARD_HEADERS, "cache-control": "private, max-age=60" };
const VERSION = "1.0";

/** The paths of HTTP+JSON below an endpoint. A segment can end with an operation, `tasks/<id>:cancel`. */
const HTTP_PATHS = [
  ["GET", "/:operation"],
  ["POST", "/:operation"],
  ["GET", "/tasks/:task"],
  ["POST", "/tasks/:task"],
  ["GET", "/tasks/:task/pushNotificationConfigs"],
  ["POST", "/tasks/:task/pushNotificationConfigs"],
  ["GET", "/tasks/:task/pushNotificationConfigs/:config"],
  ["DELETE", "/tasks/:task/pushNotificationConfigs/:config"],
] as const;

const renderHttpError = errorRenderer(renderHttpFault);
const renderRpcError = errorRenderer((fault) => renderRpcFault(fault, null));

export const extension = defineExtension({
  name: "a2a",
  summary: "agents and swarms for other systems by the protocol A2A",
  docs: new URL("../README.md", import.meta.url),
  routes: [
    cardRoute("", async (source) => {
      const { readCatalogue } = await import("./cards.ts");
      return readCatalogue(source);
    }),
    ...endpointRoutes("agents"),
    ...endpointRoutes("swarms"),
  ],
});

/** The routes load the package of the protocol with their first request, so that it costs nothing when it is not used. */
function endpointRoutes(kind: Target["kind"]): readonly ExtensionRoute[] {
  const path = `/a2a/${kind}/:id`;
  // The functions and tables that an operation uses check the scopes that it needs.
  const common = { access: "bearer-alone", keyScope: "checked", resource: RESOURCE, limit: "api" } as const;
  return [
    cardRoute(path, async (source, id) => {
      const { readCard } = await import("./cards.ts");
      return readCard(source, { kind, id });
    }),
    {
      method: "POST",
      path,
      ...common,
      renderError: renderRpcError,
      async handler(request, context) {
        const { answerRpc } = await import("./bindings.ts");
        return answerRpc(() => openSession(kind, request, context), request);
      },
    },
    ...HTTP_PATHS.map(
      ([method, below]): ExtensionRoute => ({
        method,
        path: `${path}${below}`,
        ...common,
        renderError: renderHttpError,
        async handler(request, context) {
          const { answerHttp } = await import("./bindings.ts");
          return answerHttp(() => openSession(kind, request, context), request);
        },
      }),
    ),
  ];
}

function cardRoute(path: string, read: (source: CardSource, id: string) => Promise<unknown>): ExtensionRoute {
  return {
    method: "GET",
    path: `${path}${WELL_KNOWN}`,
    access: "optional-bearer",
    keyScope: "checked",
    resource: RESOURCE,
    limit: "api",
    renderError: renderHttpError,
    handler: async ({ params, caller, core }, context) => ({
      headers: caller.userId === null ? CARD_HEADERS : OWN_CARD_HEADERS,
      body: await read(cardsOf(context, caller.userId === null ? null : core), params["id"] ?? ""),
    }),
  };
}

function openSession(
  kind: Target["kind"],
  { params, headers, core, caller, signal }: ExtensionRequest,
  context: ExtensionContext,
): Session {
  const { "a2a-version": version = "0.3" } = headers;
  if (version !== VERSION)
    throw new ProtocolError(
      "VERSION_NOT_SUPPORTED",
      `A2A-Version is ${version}, and this endpoint supports ${VERSION}`,
    );
  const { id = "" } = params;
  if (!isUuid(id)) throw new ProtocolError("INVALID_PARAMS", "The path names no agent and no swarm");
  const { connectUrl } = context;
  return { target: { kind, id: id.toLowerCase() }, core, cards: cardsOf(context, core), caller, connectUrl, signal };
}

function cardsOf({ baseUrl, version, restAsService, now }: ExtensionContext, core: CardSource["core"]): CardSource {
  return { core, restAsService, now, baseUrl: baseUrl(), version };
}

function errorRenderer(render: (fault: Fault) => object): NonNullable<ExtensionRoute["renderError"]> {
  return (error, { headers }) => ({
    headers:
      error.status === 401
        ? {
            "www-authenticate": `Bearer realm="a2a"${headers["authorization"] === undefined ? "" : ', error="invalid_token"'}`,
          }
        : {},
    body: render(describeError(error)),
  });
}
