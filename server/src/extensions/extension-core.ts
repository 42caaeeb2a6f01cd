import { ReadableStream as WebStream } from "node:stream/web";
import type { InvokeOptions, InvokeResult } from "@swarmbase/sdk";
import type { ProviderChecks, ProviderSetup, Respond } from "../agents/index.ts";
import { type AuthContext, recordExport } from "../auth/index.ts";
import { hasScope, type Principal, requireKeyScope, requireScope } from "../db/index.ts";
import { AppError, renderError } from "../errors/index.ts";
import type { FunctionResponse, NamedFunction } from "../functions/index.ts";
import { functionCallOf, type RouteReply, type RouteRequest } from "../http/index.ts";
import { stringifyMembers } from "../json/index.ts";
import { type Limits, userKey } from "../limits/index.ts";
import type { RestModule } from "../rest/index.ts";
import type { ExtensionCore, ExtensionRestAnswer, ExtensionRestCall } from "./port.ts";

/** What the routes of extensions call. */
export interface CorePorts {
  readonly functions: readonly NamedFunction[];
  readonly rest: RestModule;
  readonly limits: Limits;
  readonly auth: AuthContext;
  readonly providerChecks: ProviderChecks;
  readonly providerSetup: ProviderSetup;
  readonly respond: Pick<Respond, "queue" | "announce">;
  /** Throws 503 in a restored copy, which must not do what its original does. */
  requireReleased(): void;
}

const PREFIX = "/rest/v1";
const JSON_TYPE = "application/json";

/**
 * The core for one request, as its caller. The route has counted the request as an API request. `onRejected` gets the error of a function,
 * of which the SDK keeps the body alone.
 */
export function createCore(
  { functions, rest, limits, auth }: CorePorts,
  request: RouteRequest,
  reply: RouteReply,
  onRejected: (error: AppError) => void,
): ExtensionCore {
  const own = functionCallOf(limits, request, reply);
  const { principal } = own;

  const run = async (name: string, { body, headers = {}, signal }: InvokeOptions): Promise<FunctionResponse> => {
    const called = functions.find((candidate) => candidate.name === name);
    if (called === undefined) throw new AppError("FUNCTION_NOT_FOUND", "No function has this name");
    requireKeyScope(principal, called.keyScope);
    // The guard of the route that was called has checked no proof.
    if (called.needsProof === true) throw new AppError("FORBIDDEN", `${name} must be called over HTTP`);
    if (called.limit !== "api" && principal.userId !== null) await own.count(called.limit, userKey(principal.userId));
    return called.run({
      ...own,
      headers: lowerCase(headers),
      // As it arrives over HTTP: values that JSON cannot represent are gone.
      body: called.isBodyRaw === true ? Buffer.from(JSON.stringify(body)) : JSON.parse(JSON.stringify(body)),
      signal: signal === undefined ? own.signal : AbortSignal.any([own.signal, signal]),
    });
  };

  return {
    functions: {
      async invoke(name, options): Promise<InvokeResult> {
        try {
          const response = toResponse(await run(name, options));
          return { data: response.body === null || isStream(response) ? response : await response.json(), error: null };
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          onRejected(error);
          const { status, headers, body } = renderError(error);
          return { data: null, error: { context: new Response(body, { status, headers }) } };
        }
      },
    },

    rest: createRest(rest, principal, own.signal),
    hasScope: (scope) => hasScope(principal, scope),
    requireScope: (scope) => requireScope(principal, scope),
    recordExport: () => recordExport(auth, own),
  };
}

/** Requests to `/rest/v1` in the same process. */
export function createRest(rest: RestModule, principal: Principal, signal?: AbortSignal): ExtensionCore["rest"] {
  return async ({
    method,
    path,
    headers = {},
    body,
    isTrial = false,
    isReadOnly = false,
    isText = false,
  }: ExtensionRestCall): Promise<ExtensionRestAnswer> => {
    const [before = "", ...after] = path.split("?");
    const answer = await rest.answer({
      input: {
        method,
        path: before,
        search: after.join("?"),
        headers: lowerCase(headers),
        body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
        contentType: body === undefined ? null : JSON_TYPE,
      },
      path: PREFIX + before,
      principal,
      signal,
      isTrial,
      isReadOnly,
    });
    answer.onSent?.();
    const text = answer.body === null ? "" : answer.body.toString();
    const isJson = !isText && /[/+]json\b/.test(String(answer.headers["content-type"]));
    return { status: answer.status, headers: answer.headers, body: isJson && text !== "" ? JSON.parse(text) : text };
  };
}

function toResponse(answer: FunctionResponse): Response {
  const { status } = answer;
  if ("stream" in answer) {
    const stream = WebStream.from(encode(answer.stream));
    return new Response(stream as ReadableStream<Uint8Array>, { status, headers: answer.headers });
  }
  answer.onSent?.();
  return new Response(stringifyMembers(answer.body), { status, headers: { "content-type": JSON_TYPE } });
}

async function* encode(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const text of texts) yield Buffer.from(text);
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
