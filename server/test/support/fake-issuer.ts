import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { createAddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import type { Cleanup } from "./database.ts";
import { listen } from "./listen.ts";
import { authority, credential } from "./receiver.ts";

interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly form: URLSearchParams;
}

type Served = object | string | ((received: Received) => object | string | Promise<object | string>);

export interface FakeIssuer {
  /** On loopback, where the address policy lets nobody but a configured issuer be. */
  readonly origin: string;
  /** The guarded fetch of the service. Hosts that are not on loopback are served by the issuer, below a path with their name. */
  readonly fetch: typeof globalThis.fetch;
  readonly received: readonly Received[];
  /** What an address answers from now on, with status 200. */
  serve(url: string, served: Served): void;
  /** Serves the discovery document, and the current keys. */
  serveIssuer(issuer: string, members?: object): void;
  /** The set with the current key. */
  keys(): object;
  /** An ID token with the current key. */
  sign(claims: JWTPayload, header?: { readonly kid?: string }): Promise<string>;
  /** Another key replaces the current one. */
  rotate(): Promise<void>;
}

/** An issuer that answers whatever a test wants, honest or not, on a real socket. */
export async function startFakeIssuer(t: Cleanup): Promise<FakeIssuer> {
  const server = createServer(credential);
  const origin = `https://127.0.0.1:${await listen(t, server)}`;
  const guarded = openGuardedFetch({
    policy: createAddressPolicy({ allowedCidrs: [] }),
    ca: [authority.cert],
    connectionsPerOrigin: 8,
    exemptUrls: [origin],
  });
  t.after(() => guarded.close());
  const answers = new Map<string, Served>();
  const received: Received[] = [];
  const locate = (url: string): string =>
    /^https:\/\/(?:127|10)\./.test(url) ? url : url.replace("https://", `${origin}/`);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = `${origin}${(request.url ?? "").split("?")[0]}`;
    const form = new URLSearchParams(await text(request));
    const got = { url, headers: request.headers, form };
    received.push(got);
    const served = answers.get(url);
    const body = typeof served === "function" ? await served(got) : served;
    if (body === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  server.on("request", (request, response) => void answer(request, response));

  let count = 0;
  let key = await newKey();
  async function newKey() {
    const { publicKey, privateKey } = await generateKeyPair("RS256");
    count += 1;
    const kid = `key-${count}`;
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } };
  }
  const serve: FakeIssuer["serve"] = (url, served) => void answers.set(locate(url), served);
  return {
    origin,
    received,
    fetch: ((url: unknown, init: unknown) =>
      guarded.fetch(locate(String(url)), init as never)) as unknown as typeof globalThis.fetch,
    serve,
    serveIssuer(issuer, members = {}) {
      const base = issuer.replace("{tenantid}", "common");
      serve(`${base}/.well-known/openid-configuration`, {
        issuer,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        jwks_uri: `${base}/keys`,
        id_token_signing_alg_values_supported: ["RS256"],
        ...members,
      });
      serve(`${base}/keys`, () => ({ keys: [key.jwk] }));
    },
    keys: () => ({ keys: [key.jwk] }),
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid, ...header }).sign(key.privateKey),
    async rotate() {
      key = await newKey();
    },
  };
}
