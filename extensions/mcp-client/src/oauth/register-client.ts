import type { FetchLike, OAuthClientInformationMixed, OAuthServerInfo } from "@modelcontextprotocol/client";
import { AppError } from "swarmbase/extension";
import type { OAuthClient } from "./credentials.ts";

export interface Registration {
  readonly url: string;
  readonly redirectUrl: string;
  /** Of an earlier authorization. */
  readonly known: OAuthClient | null;
  /** Of a client that somebody has registered by hand. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly scope: string | undefined;
  readonly fetchFn: FetchLike;
}

export interface Registered {
  readonly client: OAuthClient;
  /** To be asked for; absent: the default of the server. */
  readonly scope: string | undefined;
}

/** An initialisation as every server understands it. The answer says where tokens come from. */
const PROBE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "swarmbase", version: "0" } },
});
const PROBE_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Finds the authorization server of an MCP server, and makes the service a client of it. */
export async function registerAtServer(registration: Registration): Promise<Registered> {
  const { url, redirectUrl, known, clientId, clientSecret, fetchFn } = registration;
  const sdk = await import("@modelcontextprotocol/client");
  const challenge = await fetchFn(url, { method: "POST", headers: PROBE_HEADERS, body: PROBE });
  const { resourceMetadataUrl, scope: challengeScope } = sdk.extractWWWAuthenticateParams(challenge);
  await challenge.body?.cancel();
  const found = await sdk.discoverOAuthServerInfo(url, {
    fetchFn,
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  });
  const { authorizationServerUrl: issuerUrl, authorizationServerMetadata: metadata = null } = found;
  const resource = found.resourceMetadata?.resource ?? null;
  // Otherwise a server could get tokens that are meant for another one.
  if (resource !== null && !sdk.checkResourceAllowed({ requestedResource: url, configuredResource: resource }))
    throw new AppError("TOOL_ERROR", "The MCP server names another resource than its own address");
  const scope = chooseScope(registration.scope ?? challengeScope, found);
  const issuerOf = (client: Pick<OAuthClient, "issuerUrl" | "metadata">): string =>
    client.metadata?.issuer ?? client.issuerUrl;
  const isSame = known?.redirectUrl === redirectUrl && issuerOf(known) === issuerOf({ issuerUrl, metadata });
  const register = (): Promise<OAuthClientInformationMixed> =>
    sdk.registerClient(issuerUrl, {
      clientMetadata: {
        client_name: "Swarmbase",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      fetchFn,
      ...(metadata !== null && { metadata }),
      ...(scope !== undefined && { scope }),
    });
  const information =
    clientId !== undefined
      ? { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
      : isSame && known !== null
        ? known.information
        : await register();
  return { client: { issuerUrl, metadata, information, redirectUrl, resource }, scope };
}

function chooseScope(
  wanted: string | undefined,
  { resourceMetadata, authorizationServerMetadata }: OAuthServerInfo,
): string | undefined {
  const scope = wanted ?? resourceMetadata?.scopes_supported?.join(" ");
  if (scope === undefined || scope === "") return undefined;
  const isOffered = authorizationServerMetadata?.scopes_supported?.includes("offline_access") === true;
  return isOffered && !scope.split(" ").includes("offline_access") ? `${scope} offline_access` : scope;
}
