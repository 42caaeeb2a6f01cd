import { ERROR_CODES, type ErrorCode } from "@swarmbase/sdk";
import { AppError, type AppErrorExtra } from "../errors/index.ts";
import {
  countRejectedCall,
  firstValues,
  principalOf,
  type Route,
  type RouteReply,
  type RouteRequest,
  sendStream,
} from "../http/index.ts";
import { type CorePorts, createCore } from "./extension-core.ts";
import { describeAppError, isFunctionError } from "./extension-error.ts";
import type { ExtensionContext, ExtensionCore, ExtensionRequest, ExtensionResponse, ExtensionRoute } from "./port.ts";

/** The guard of these routes has checked that the session or key of the caller is active. */
const CHECKED: ReadonlySet<string> = new Set(["bearer-alone", "account", "user"]);

interface ExtensionRoutesOptions {
  readonly context: ExtensionContext;
  /** Called per request: the modules are opened after the extensions. */
  getCore(): CorePorts;
}

/** The routes of an extension as rows of the route table, so that they pass through the same steps as every other request. */
export function extensionRoutes(
  routes: readonly ExtensionRoute[],
  { context, getCore }: ExtensionRoutesOptions,
): Route[] {
  return routes.map(({ handler, renderError, keyScope, isBodyRaw = false, ...route }) => ({
    ...route,
    ...(keyScope !== undefined && { keyScope }),
    isBodyRaw,
    acceptsAnyBody: isBodyRaw,
    ...(renderError !== undefined && { renderError: toRouteError(renderError) }),
    handler: async (request, reply) => {
      const isChecked =
        CHECKED.has(route.access) || (route.access === "optional-bearer" && principalOf(request).role !== "anon");
      let rejection: AppError | null = null;
      const noteRejection = (error: AppError): void => {
        rejection = error;
      };
      const core = isChecked ? createCore(getCore(), request, reply, noteRejection) : rejectingCore(route);
      try {
        return await send(
          reply,
          await handler(toExtensionRequest(request, reply, { core, limits: getCore().limits }), context),
        );
      } catch (error) {
        throw translateFunctionError(error, rejection);
      }
    },
  }));
}

function toRouteError(render: NonNullable<ExtensionRoute["renderError"]>): NonNullable<Route["renderError"]> {
  return (error, { id, headers }) => {
    const { body, ...rest } = render(describeAppError(error), { id, headers: firstValues(headers) });
    const type = { "content-type": "application/json; charset=utf-8" };
    return {
      ...rest,
      headers: { ...type, ...rest.headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    };
  };
}

/** The error of a function of the core, which the SDK throws, is the error of the route, with its challenge. */
function translateFunctionError(error: unknown, rejection: AppError | null): unknown {
  if (!isFunctionError(error)) return error;
  const { status, code, details, retryAfterSeconds } = error;
  if (rejection?.code === "INSUFFICIENT_SCOPE" && code === rejection.code) return rejection;
  const extra: AppErrorExtra = {
    details: details as NonNullable<AppErrorExtra["details"]> | null,
    cause: error,
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  };
  if (Object.hasOwn(ERROR_CODES, code)) return new AppError(code as ErrorCode, error.message, extra);
  return new AppError("BAD_REQUEST", error.message, { ...extra, foreign: { code, status } });
}

/** Without the check of the guard, a function of the core could run for a session that has ended. */
function rejectingCore({ method, path }: Pick<ExtensionRoute, "method" | "path">): ExtensionCore {
  const reject = (): never => {
    throw new AppError(
      "INTERNAL_ERROR",
      `${method} ${path} needs access bearer-alone, user or account to call the core`,
    );
  };
  const call = async (): Promise<never> => reject();
  return { functions: { invoke: call }, rest: call, hasScope: reject, requireScope: reject, recordExport: call };
}

function toExtensionRequest(
  request: RouteRequest,
  reply: RouteReply,
  { core, limits }: Pick<ExtensionRequest, "core"> & Pick<CorePorts, "limits">,
): ExtensionRequest {
  const { raw } = reply;
  const closed = new AbortController();
  if (raw.destroyed) closed.abort();
  else raw.once("close", () => closed.abort());
  const { path } = request;
  return {
    id: request.id,
    method: request.method,
    path,
    search: request.url.slice(path.length),
    params: request.params,
    query: firstValues(request.query),
    headers: firstValues(request.headers),
    body: request.body ?? undefined,
    caller: principalOf(request),
    countRejection: (subject) => countRejectedCall(limits, request, reply, subject),
    core,
    signal: closed.signal,
  };
}

async function send(reply: RouteReply, response: ExtensionResponse): Promise<unknown> {
  const { status = 200, headers = {}, body, stream } = response;
  if (stream !== undefined) return sendStream(reply, { status, headers, stream });
  reply.code(status).headers({ ...headers });
  return reply.send(body);
}
