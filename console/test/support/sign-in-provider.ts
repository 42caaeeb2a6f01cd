import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import Provider from "oidc-provider";
import type { Instance } from "./instance.ts";

export const CLIENT = { client_id: "the-console", client_secret: "for-tests-only-1234567890" };

export interface SignInProvider {
  /** Who signs in next, by e-mail address; null refuses. */
  person: string | null;
}

/** A real OpenID provider at `https://localhost:<port>`, with the certificate of the instance. Whoever comes is signed in at once. */
export async function startSignInProvider(t: TestContext, instance: Instance, port: number): Promise<SignInProvider> {
  const pem = await readFile(join(instance.dataDir, "tls/localhost.pem"));
  const chosen: SignInProvider = { person: null };
  const provider = new Provider(`https://localhost:${port}`, {
    clients: [{ ...CLIENT, redirect_uris: [`${instance.url}/auth/v1/callback`] }],
    cookies: { keys: ["for tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_context: unknown, email: string) => ({
      accountId: email,
      claims: () => ({ sub: email, email, email_verified: true, name: "Grace Hopper" }),
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
  });
  const answer = provider.callback();
  const signIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { params } = await provider.interactionDetails(request, response);
    const { person: accountId } = chosen;
    if (accountId === null) return provider.interactionFinished(request, response, { error: "access_denied" });
    const grant = new provider.Grant({ accountId, clientId: params["client_id"] ?? "" });
    grant.addOIDCScope(params["scope"] ?? "");
    const result = { login: { accountId, remember: false }, consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, result);
  };
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    const isInteraction = request.url?.startsWith("/interaction/") === true;
    void (isInteraction ? signIn(request, response) : answer(request, response));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return chosen;
}
