import { isUuid } from "@swarmbase/sdk";
import {
  defineExtension,
  type ExtensionContext,
  type ExtensionError,
  type ExtensionErrorResponse,
  type ExtensionRequest,
  type ExtensionResponse,
  type ExtensionRoute,
} from "swarmbase/extension";
import { describeError, ProtocolError, renderHttpFault, renderRpcFault } from "./faults.ts";
import { findConfigFaults } from "./remote-config.ts";
import type { Session, Target } from "./target.ts";

const WELL_KNOWN = "/.well-known/agent-card.json";
/** Cards change rarely. */
const CARD_HEADERS = { "cache-control": "public, max-age=60" };
const VERSION = "1.0";

/** Configurations of push notifications. They are webhooks, so writing them needs the scope `write`. */
const PUSH_ROUTES = [
  ["GET", "", "read"],
  ["POST", "", "write"],
  ["GET", "/:config", "read"],
  ["DELETE", "/:config", "write"],
] as const;

type Kind = Target["kind"];

export const extension = defineExtension({
  name: "a2a",
  summary: "agents and swarms for other systems by the protocol A2A, and remote A2A agents as tools",
  docs: new URL("../README.md", import.meta.url),
  routes: [
    {
      method: "GET",
      path: WELL_KNOWN,
      access: "public",
      limit: "api",
      renderError: renderHttpError,
      async handler(_request, context) {
        const { readCatalogue } = await import("./cards.ts");
        return { headers: CARD_HEADERS, body: await readCatalogue(cardsOf(context, context.restAsService)) };
      },
    },
    ...endpointRoutes("agents"),
    ...endpointRoutes("swarms"),
  ],
  toolKinds: [
    {
      name: "a2a",
      findConfigFaults,
      async run(call, { fetch }) {
        const { callRemoteAgent } = await import("./call-remote-agent.ts");
        return callRemoteAgent(call, fetch);
      },
    },
  ],
});

/** The routes load the package of the protocol with their first request, so that it costs nothing when it is not used. */
function endpointRoutes(kind: Kind): readonly ExtensionRoute[] {
  const path = `/a2a/${kind}/:id`;
  const common = { access: "bearer-alone", limit: "api", renderError: renderHttpError } as const;
  const answer = async (request: ExtensionRequest, context: ExtensionContext): Promise<ExtensionResponse> => {
    const { answerHttp } = await import("./http-json.ts");
    return answerHttp(() => openSession(kind, request, context), request);
  };
  return [
    {
      method: "POST",
      path,
      ...common,
      // The functions that a method calls check the scope that they need.
      keyScope: "read",
      renderError: renderRpcError,
      async handler(request, context) {
        const { answerRpc } = await import("./json-rpc.ts");
        return answerRpc(() => openSession(kind, request, context), request.body);
      },
    },
    {
      method: "GET",
      path: `${path}${WELL_KNOWN}`,
      access: "public",
      limit: "api",
      renderError: renderHttpError,
      async handler({ params }, context) {
        const { readCard } = await import("./cards.ts");
        const target = { kind, id: params["id"] ?? "" };
        return { headers: CARD_HEADERS, body: await readCard(cardsOf(context, context.restAsService), target, true) };
      },
    },
    { method: "GET", path: `${path}/:operation`, ...common, keyScope: "read", handler: answer },
    { method: "POST", path: `${path}/:operation`, ...common, keyScope: "run", handler: answer },
    { method: "GET", path: `${path}/tasks/:task`, ...common, keyScope: "read", handler: answer },
    { method: "POST", path: `${path}/tasks/:task`, ...common, keyScope: "run", handler: answer },
    ...PUSH_ROUTES.map(([method, rest, keyScope]) => ({
      method,
      path: `${path}/tasks/:task/pushNotificationConfigs${rest}`,
      ...common,
      keyScope,
      handler: answer,
    })),
  ];
}

function openSession(
  kind: Kind,
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
  const { userId } = caller;
  if (userId === null) throw new TypeError("the access of the route lets only users in");
  return { target: { kind, id: id.toLowerCase() }, core, cards: cardsOf(context, core.rest), userId, signal };
}

function cardsOf({ baseUrl, version }: ExtensionContext, rest: Session["cards"]["rest"]): Session["cards"] {
  return { rest, baseUrl: baseUrl(), version };
}

function renderHttpError(error: ExtensionError): ExtensionErrorResponse {
  return { headers: challengeOf(error), body: renderHttpFault(describeError(error)) };
}

function renderRpcError(error: ExtensionError): ExtensionErrorResponse {
  return { headers: challengeOf(error), body: renderRpcFault(describeError(error), null) };
}

function challengeOf({ status }: ExtensionError): Record<string, string> {
  return status === 401 ? { "www-authenticate": 'Bearer realm="a2a"' } : {};
}
