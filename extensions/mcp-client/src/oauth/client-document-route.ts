import type { OAuthClientMetadata } from "@modelcontextprotocol/client";
import type { ExtensionRoute } from "swarmbase/extension";
import type { SETTINGS } from "../settings.ts";
import { CALLBACK_PATH } from "./callback-route.ts";

/** Its address is the id of the service as a client, where authorization servers support such ids. */
export const CLIENT_DOCUMENT_PATH = "/oauth/client-metadata.json";

/** What the service tells authorization servers about itself, by registration or by its document. */
export function describeClient(redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: "Swarmbase",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** The Client ID Metadata Document of the service. */
export const CLIENT_DOCUMENT_ROUTE: ExtensionRoute<typeof SETTINGS> = {
  method: "GET",
  path: CLIENT_DOCUMENT_PATH,
  access: "public",
  limit: "api",
  handler: (_request, context) => {
    const baseUrl = context.baseUrl();
    return {
      headers: { "cache-control": "public, max-age=3600" },
      body: { client_id: `${baseUrl}${CLIENT_DOCUMENT_PATH}`, ...describeClient(`${baseUrl}${CALLBACK_PATH}`) },
    };
  },
};
