import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import Provider from "oidc-provider";
import type { Cleanup } from "./database.ts";
import { listen } from "./listen.ts";
import { credential } from "./receiver.ts";

export const SIGN_IN_CLIENT = { client_id: "swarmbase", client_secret: "SECRET-CANARY-of-the-client" };

/**
 * An OpenID provider of the package `oidc-provider`. Whoever is named by `login_hint` signs in and agrees without a page:
 * `ada` has the verified address ada@example.com.
 */
export async function startSignInIssuer(
  t: Cleanup,
  {
    redirectUri,
    tls = credential,
    host = "127.0.0.1",
  }: {
    readonly redirectUri: string;
    readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
    readonly host?: string;
  },
): Promise<string> {
  const server = createServer(tls);
  const origin = `https://${host}:${await listen(t, server)}`;
  const provider = new Provider(origin, {
    clients: [
      { ...SIGN_IN_CLIENT, redirect_uris: [redirectUri], grant_types: ["authorization_code", "refresh_token"] },
    ],
    cookies: { keys: ["for tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    scopes: ["openid", "email", "profile", "offline_access"],
    pkce: { required: () => true },
    ttl: { AccessToken: 3_600, IdToken: 3_600, Grant: 86_400, Interaction: 600, Session: 600 },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: `${accountId}@example.com`,
        email_verified: !accountId.startsWith("unverified"),
        name: accountId,
      }),
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
  });
  const oidc = provider.callback();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!(request.url ?? "").startsWith("/interaction/")) return oidc(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const accountId = params["login_hint"] ?? "ada";
    const grant = new provider.Grant({ accountId, clientId: params["client_id"] ?? "" });
    grant.addOIDCScope("openid email profile");
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, result);
  };
  server.on("request", (request, response) => void answer(request, response));
  return origin;
}
