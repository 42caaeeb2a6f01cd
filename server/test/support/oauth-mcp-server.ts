import { createHash, randomUUID } from "node:crypto";
import { createServer, type Server as HttpsServer } from "node:https";
import { text } from "node:stream/consumers";
import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";

export interface OAuthServer {
  readonly server: HttpsServer;
  readonly seen: { registered: number; refreshed: number; reused: number; calls: number };
  /** The kinds of tokens that its clients have withdrawn. */
  readonly revoked: string[];
  /** Tokens of the server's clients stop working, and with `all` their refresh tokens too. */
  revoke(what: "access" | "all"): void;
}

export interface OAuthServerOptions {
  readonly credential: { readonly key: string | Buffer; readonly cert: string | Buffer };
  readonly expiresInSeconds?: number;
  readonly scope?: string;
  readonly hasRevocation?: boolean;
}

interface Grant {
  readonly clientId: string;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly resource: string | null;
}

/** An MCP server with its own authorization server: registration, PKCE, and refresh tokens that work once. */
export function createOAuthServer(
  create: () => McpServer,
  { credential, expiresInSeconds = 3_600, scope = "tools", hasRevocation = true }: OAuthServerOptions,
): OAuthServer {
  const seen = { registered: 0, refreshed: 0, reused: 0, calls: 0 };
  const revoked: string[] = [];
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Grant>();
  const accessTokens = new Set<string>();
  const refreshTokens = new Set<string>();
  const handle = toNodeHandler(createMcpHandler(create));

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const origin = `https://${request.headers.host ?? ""}`;
    const url = new URL(request.url ?? "/", origin);
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    const grant = (): void => {
      const tokens = { access_token: `at-${randomUUID()}`, refresh_token: `rt-${randomUUID()}` };
      accessTokens.add(tokens.access_token);
      refreshTokens.add(tokens.refresh_token);
      send(200, { ...tokens, token_type: "Bearer", expires_in: expiresInSeconds, scope });
    };
    switch (url.pathname) {
      case "/mcp": {
        const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
        if (accessTokens.has(token)) {
          seen.calls += 1;
          return void handle(request as Parameters<typeof handle>[0], response);
        }
        const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
        return send(401, {}, { "www-authenticate": `Bearer resource_metadata="${metadata}", scope="tools"` });
      }
      case "/.well-known/oauth-protected-resource/mcp":
        return send(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return send(200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          ...(hasRevocation && { revocation_endpoint: `${origin}/revoke` }),
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          authorization_response_iss_parameter_supported: true,
        });
      case "/register": {
        const metadata = JSON.parse(await text(request)) as { redirect_uris: string[] };
        const id = randomUUID();
        clients.set(id, metadata.redirect_uris);
        seen.registered += 1;
        return send(201, { ...metadata, client_id: id });
      }
      case "/authorize": {
        const { client_id: clientId = "", redirect_uri: redirectUri = "" } = Object.fromEntries(url.searchParams);
        const isKnown = clients.get(clientId)?.includes(redirectUri) === true;
        if (!isKnown || url.searchParams.get("code_challenge_method") !== "S256") return send(400, {});
        const code = randomUUID();
        const challenge = url.searchParams.get("code_challenge") ?? "";
        codes.set(code, { clientId, redirectUri, challenge, resource: url.searchParams.get("resource") });
        const back = new URL(redirectUri);
        back.search = new URLSearchParams({
          code,
          state: url.searchParams.get("state") ?? "",
          iss: origin,
        }).toString();
        return void response.writeHead(302, { location: back.href }).end();
      }
      case "/token": {
        const form = new URLSearchParams(await text(request));
        if (form.get("grant_type") === "refresh_token") {
          const isFresh = refreshTokens.delete(form.get("refresh_token") ?? "");
          seen[isFresh ? "refreshed" : "reused"] += 1;
          return isFresh ? grant() : send(400, { error: "invalid_grant" });
        }
        const known = codes.get(form.get("code") ?? "");
        codes.delete(form.get("code") ?? "");
        const challenge = createHash("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        const isValid =
          known !== undefined &&
          known.challenge === challenge &&
          known.clientId === form.get("client_id") &&
          known.redirectUri === form.get("redirect_uri") &&
          known.resource === `${origin}/mcp`;
        return isValid ? grant() : send(400, { error: "invalid_grant" });
      }
      case "/revoke": {
        const form = new URLSearchParams(await text(request));
        const { token = "", token_type_hint: hint = "", client_id: clientId = "" } = Object.fromEntries(form);
        const isKnown = clients.has(clientId) && [accessTokens, refreshTokens].some((tokens) => tokens.delete(token));
        if (isKnown) revoked.push(hint);
        return send(isKnown ? 200 : 400, {});
      }
      default:
        return send(404, {});
    }
  };
  return {
    server: createServer(credential, (request, response) => void answer(request, response)),
    seen,
    revoked,
    revoke(what) {
      accessTokens.clear();
      if (what === "all") refreshTokens.clear();
    },
  };
}
