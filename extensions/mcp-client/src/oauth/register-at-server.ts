import type { FetchLike, OAuthClientInformationMixed, OAuthServerInfo } from "@modelcontextprotocol/client";
import { type AccountServer, AppError, isLoopbackUrl } from "swarmbase/extension";
import { describeClient } from "./client-document-route.ts";
import type { OAuthClient } from "./credentials.ts";
import type { OperatorClient } from "./operator-clients.ts";

interface Registration {
  readonly server: AccountServer;
  readonly redirectUrl: string;
  /** Of the Client ID Metadata Document. */
  readonly documentUrl: string;
  /** Of an earlier authorization. */
  readonly known: OAuthClient | null;
  /** Used alone, where it is not null. */
  readonly operatorClient: OperatorClient | null;
  /** Of a client that somebody has registered by hand. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly scope: string | undefined;
  readonly fetchFn: FetchLike;
}

interface Registered {
  readonly client: OAuthClient;
  /** To be asked for; absent means the default of the server. */
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

/** Finds the authorization server of a server, and makes the service a client of it. */
export async function registerAtServer(registration: Registration): Promise<Registered> {
  const { server, redirectUrl, documentUrl, known, operatorClient, clientId, clientSecret, fetchFn } = registration;
  const sdk = await import("@modelcontextprotocol/client");
  const { challengeScope, ...found } = await findAuthorizationServer(registration);
  const { authorizationServerUrl: issuerUrl, authorizationServerMetadata: metadata = null } = found;
  const resource = found.resourceMetadata?.resource ?? null;
  // Otherwise a server could get tokens that are meant for another one.
  if (resource !== null && !sdk.checkResourceAllowed({ requestedResource: server.url, configuredResource: resource }))
    throw new AppError("TOOL_ERROR", "The MCP server names another resource than its own address");
  const isOfOperator = operatorClient !== null;
  const scope = isOfOperator
    ? (operatorClient.scope ?? challengeScope)
    : chooseScope(registration.scope ?? challengeScope, found);
  const issuerOf = (client: Pick<OAuthClient, "issuerUrl" | "metadata">): string =>
    client.metadata?.issuer ?? client.issuerUrl;
  const isSame = known?.redirectUrl === redirectUrl && issuerOf(known) === issuerOf({ issuerUrl, metadata });
  const choose = async (): Promise<OAuthClientInformationMixed> => {
    if (isOfOperator) return { client_id: operatorClient.information.client_id };
    if (clientId !== undefined)
      return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
    if (isSame && known !== null) return known.information;
    if (readsDocuments(metadata) && !isLoopbackUrl(documentUrl)) return { client_id: documentUrl };
    return sdk.registerClient(issuerUrl, {
      clientMetadata: describeClient(redirectUrl),
      fetchFn,
      ...(metadata !== null && { metadata }),
      ...(scope !== undefined && { scope }),
    });
  };
  const information = await choose();
  return { client: { issuerUrl, metadata, information, redirectUrl, resource, isOfOperator }, scope };
}

type FoundServer = OAuthServerInfo & { readonly challengeScope: string | undefined };

async function findAuthorizationServer(registration: Registration): Promise<FoundServer> {
  const { server, operatorClient, fetchFn } = registration;
  const sdk = await import("@modelcontextprotocol/client");
  const { resourceMetadataUrl, scope: challengeScope } = await probe(registration);
  if (operatorClient === null) {
    const options = { fetchFn, ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }) };
    return { ...(await sdk.discoverOAuthServerInfo(server.url, options)), challengeScope };
  }
  // The operator has said where its client is registered, so the server of the tool does not choose who gets its secret.
  const { issuer, metadata } = operatorClient;
  const published = metadata ?? (await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn }));
  if (published === undefined)
    throw new AppError("TOOL_ERROR", "The authorization server does not publish its metadata");
  const resourceMetadata =
    server.protocol === "http"
      ? undefined
      : await sdk
          .discoverOAuthProtectedResourceMetadata(
            server.url,
            resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
            fetchFn,
          )
          .catch(() => undefined);
  return {
    authorizationServerUrl: issuer,
    authorizationServerMetadata: published,
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    challengeScope,
  };
}

/** Only of an MCP server: elsewhere the request could have an effect. */
async function probe({
  server,
  fetchFn,
}: Registration): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  if (server.protocol === "http") return {};
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const challenge = await fetchFn(server.url, { method: "POST", headers: PROBE_HEADERS, body: PROBE });
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(challenge);
  await challenge.body?.cancel();
  return { ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}

function readsDocuments(metadata: Readonly<Record<string, unknown>> | null): boolean {
  return metadata?.["client_id_metadata_document_supported"] === true;
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
