import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, get } from "node:https";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import Provider from "oidc-provider";
import { z } from "zod";
import type { Cleanup } from "./database.ts";
import { authority, BASE_URL, credential } from "./tool-stage.ts";
import { listen } from "./listen.ts";

export const OPERATOR_CLIENT = { client_id: "of-the-operator", client_secret: "OPERATOR-SECRET-CANARY" };
const CALLBACK_PATH = "/oauth/callback";

export interface OidcServer {
  readonly origin: string;
  /** The values of the header `Authorization` at the tools. */
  readonly sent: readonly string[];
  /** How clients became known, and as whom they got tokens. */
  readonly seen: { registered: number; documents: number };
  /** The client ids of the authorization requests. */
  readonly clientIds: readonly string[];
  /** Tokens stop working: the access tokens, and with `all` the refresh tokens too. */
  revoke(what: "access" | "all"): Promise<void>;
}

export interface OidcServerOptions {
  /** The certificate. Default: one of the authority of the tests. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /** The name of loopback in its addresses. */
  readonly host?: string;
  /** The server reads Client ID Metadata Documents, and gets this one of the service. */
  readonly readDocument?: () => unknown;
}

/**
 * An authorization server of the package `oidc-provider`, with an MCP server at `/mcp` and an HTTP API at `/api`, both of which say
 * whose token they got. The person who signs in is the one that the browser names.
 */
export async function startOidcServer(
  t: Cleanup,
  { readDocument, tls = credential, host = "127.0.0.1" }: OidcServerOptions = {},
): Promise<OidcServer> {
  const seen = { registered: 0, documents: 0 };
  const sent: string[] = [];
  const clientIds: string[] = [];
  const server = createServer(tls);
  const origin = `https://${host}:${await listen(t, server)}`;
  const provider = new Provider(origin, {
    clients: [
      {
        ...OPERATOR_CLIENT,
        redirect_uris: [BASE_URL + CALLBACK_PATH],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    cookies: { keys: ["for tests"] },
    scopes: ["tools"],
    ttl: { AccessToken: 3_600, RefreshToken: 86_400, Grant: 86_400, Interaction: 600, Session: 600 },
    findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    fetch: async (url: string) => {
      seen.documents += 1;
      if (url !== `${BASE_URL}/oauth/client-metadata.json`) throw new Error(`no document at ${url}`);
      return Response.json(readDocument?.());
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      ...(readDocument !== undefined && { clientIdMetadataDocument: { enabled: true, ack: "draft-02" } }),
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `${origin}/`,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({ scope: "tools", audience }),
      },
    },
  });
  provider.on("registration_create.success", () => void (seen.registered += 1));
  const saved = { access: new Set<{ destroy(): Promise<void> }>(), all: new Set<{ destroy(): Promise<void> }>() };
  provider.on("access_token.saved", (token) => void saved.access.add(token));
  provider.on("refresh_token.saved", (token) => void saved.all.add(token));

  const whose = async (header: string | null | undefined, resource: string): Promise<string | null> => {
    if (typeof header === "string") sent.push(header);
    const token = await provider.AccessToken.find(header?.replace(/^Bearer /, "") ?? "");
    return token?.aud === resource ? token.accountId : null;
  };
  const mcp = toNodeHandler(
    createMcpHandler(() => {
      const tools = new McpServer({ name: "accounts", version: "1" });
      const inputSchema = z.object({}).loose();
      tools.registerTool("whoami", { description: "Says who", inputSchema }, async (_input, { http }) => {
        const header = http?.req?.headers.get("authorization");
        return { content: [{ type: "text", text: `mcp for ${await whose(header, `${origin}/mcp`)} ${header}` }] };
      });
      return tools;
    }),
  );
  const oidc = provider.callback();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    if (pathname === "/.well-known/oauth-protected-resource/mcp")
      return send(200, { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ["tools"] });
    if (pathname === "/.well-known/oauth-protected-resource")
      return send(200, { resource: `${origin}/`, authorization_servers: [origin], scopes_supported: ["tools"] });
    if (pathname === "/mcp" || pathname === "/api") {
      const person = await whose(request.headers.authorization, `${origin}/${pathname === "/mcp" ? "mcp" : ""}`);
      const metadata = `${origin}/.well-known/oauth-protected-resource${pathname === "/mcp" ? "/mcp" : ""}`;
      if (person === null) return send(401, {}, { "www-authenticate": `Bearer resource_metadata="${metadata}"` });
      if (pathname === "/mcp") return void mcp(request as Parameters<typeof mcp>[0], response);
      return send(200, { text: `api for ${person} ${request.headers.authorization}` });
    }
    if (pathname.startsWith("/interaction/")) {
      const { params } = await provider.interactionDetails(request, response);
      const { "x-person": person = "alice" } = request.headers;
      const accountId = String(person);
      const grant = new provider.Grant({ accountId, clientId: params["client_id"] ?? "" });
      grant.addOIDCScope("tools");
      grant.addResourceScope(params["resource"] ?? `${origin}/`, "tools");
      const result = { login: { accountId }, consent: { grantId: await grant.save() } };
      return provider.interactionFinished(request, response, result);
    }
    if (pathname === "/auth" && searchParams.has("client_id")) clientIds.push(searchParams.get("client_id") ?? "");
    return oidc(request, response);
  };
  server.on("request", (request, response) => void answer(request, response));
  return {
    origin,
    sent,
    seen,
    clientIds,
    async revoke(what) {
      await Promise.all([...saved.access, ...(what === "all" ? saved.all : [])].map((token) => token.destroy()));
    },
  };
}

interface BrowserAnswer {
  readonly state: string;
  readonly code: string;
  readonly iss: string;
}

/** What the browser of a person who signs in and agrees brings back to the callback of the service. */
export async function signIn(authorizationUrl: string, person: string): Promise<BrowserAnswer> {
  const jar = new Map<string, string>();
  let url = authorizationUrl;
  for (let hops = 0; hops < 10; hops += 1) {
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    const headers = { "x-person": person, ...(cookie !== "" && { cookie }) };
    const [response] = (await once(get(url, { ca: authority.cert, headers, agent: false }), "response")) as [
      IncomingMessage,
    ];
    response.resume();
    for (const set of response.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    const { location } = response.headers;
    if (location === undefined) throw new Error(`the sign-in ended with status ${response.statusCode} at ${url}`);
    url = new URL(location, url).href;
    const { pathname, searchParams } = new URL(url);
    if (pathname !== CALLBACK_PATH) continue;
    const { state = "", code = "", iss = "", ...others } = Object.fromEntries(searchParams);
    if (code === "") throw new Error(`the sign-in failed: ${JSON.stringify(others)}`);
    return { state, code, iss };
  }
  throw new Error("the sign-in has too many redirects");
}
