import type { FetchLike, OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { Credentials } from "./credentials.ts";

/**
 * Withdraws the tokens at their authorization server (RFC 7009) if it says where. Servers differ in whether one token takes the
 * other with it, so both are sent.
 */
export async function revokeTokens(
  { client, tokens }: Credentials,
  { information, fetchFn }: { readonly information: OAuthClientInformationMixed; readonly fetchFn: FetchLike },
): Promise<void> {
  // The types of the package lack these members of OpenID providers.
  const metadata = client.metadata as Readonly<Record<string, unknown>> | null;
  const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: methods } = metadata ?? {};
  if (typeof endpoint !== "string") return;
  const sdk = await import("@modelcontextprotocol/client");
  const url = sdk.assertSecureTokenEndpoint(endpoint);
  const method = sdk.selectClientAuthMethod(information, Array.isArray(methods) ? methods.map(String) : []);
  const { refresh_token, access_token } = tokens;
  const send = async ([hint, token]: readonly [string, string | undefined]): Promise<void> => {
    if (token === undefined) return;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded", accept: "application/json" });
    authenticate(method, information, { headers, body });
    const response = await fetchFn(url, { method: "POST", headers, body });
    await response.body?.cancel();
  };
  await Promise.all(Object.entries({ refresh_token, access_token }).map(send));
}

function authenticate(
  method: string,
  { client_id: id, client_secret: secret = "" }: OAuthClientInformationMixed,
  { headers, body }: { readonly headers: Headers; readonly body: URLSearchParams },
): void {
  if (method === "client_secret_basic") {
    const pair = [id, secret].map((part) => encodeURIComponent(part)).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
    return;
  }
  body.set("client_id", id);
  if (method === "client_secret_post") body.set("client_secret", secret);
}
