import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@supabase/supabase-js";
import { Agent, fetch } from "undici";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { findFreePort } from "../support/free-port.ts";
import { authority } from "../support/receiver.ts";
import { type ServiceHere, startServiceHere } from "../support/service-here.ts";
import { SIGN_IN_CLIENT, startSignInIssuer } from "../support/sign-in-issuer.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const APP = "https://app.example.com/welcome";

// The unmodified client, the service over HTTPS, and a real OpenID provider on loopback, whose document says what it supports.
describe("sign-in with identity providers through supabase-js", () => {
  const closers: (() => Promise<unknown>)[] = [];
  const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
  let service: ServiceHere;
  let database: TestDatabase;
  let dispatcher: Agent;
  let url: string;
  before(async () => {
    const dataDir = await createTemporaryFolder(cleanup, "swarmbase-sign-in-");
    database = await createTestDatabase(cleanup);
    const port = String(await findFreePort());
    url = `https://localhost:${port}`;
    const issuer = await startSignInIssuer(cleanup, { redirectUri: `${url}/auth/v1/callback` });
    const caFile = join(dataDir, "issuer-ca.pem");
    await writeFile(caFile, authority.cert);
    const { client_id: id, client_secret: secret } = SIGN_IN_CLIENT;
    const providersFile = join(dataDir, "sign-in.json");
    await writeFile(
      providersFile,
      JSON.stringify({ other: { client_id: id, client_secret: secret, issuer, label: "Other" } }),
    );
    service = await startServiceHere(cleanup, {
      dataDir,
      env: {
        DATABASE_URL: database.adminUrl,
        MASTER_KEY: database.masterKey,
        PORT: port,
        PUBLIC_URL: url,
        SITE_URL: "https://app.example.com",
        WEBHOOK_CA_FILE: caFile,
        AUTH_PROVIDERS_FILE: providersFile,
        AUTH_CORP_CLIENT_ID: id,
        AUTH_CORP_CLIENT_SECRET: secret,
        AUTH_CORP_ISSUER: issuer,
      },
    });
    const ca = [readFileSync(service.credentials.ca_cert_file ?? "", "utf8"), authority.cert];
    dispatcher = new Agent({ connect: { ca } });
    closers.unshift(() => dispatcher.close());
  });
  after(async () => {
    for (const close of closers) await close();
  });

  const open = (flowType: "pkce" | "implicit") => {
    const stored = new Map<string, string>();
    const storage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    };
    const send = (input: unknown, init: object) => fetch(String(input), { ...init, dispatcher });
    return createClient(url, service.credentials.anon_key, {
      auth: { flowType, storage, autoRefreshToken: false, detectSessionInUrl: false, persistSession: true },
      global: { fetch: send as unknown as typeof globalThis.fetch },
    });
  };

  /** Follows redirects as a browser does, until one leads to the app. */
  const browse = async (start: string, jar = new Map<string, string>()): Promise<URL> => {
    let at = start;
    for (let hops = 0; hops < 12; hops += 1) {
      const { origin } = new URL(at);
      const cookie = [...jar]
        .filter(([name]) => name.startsWith(origin))
        .map(([name, value]) => `${name.slice(origin.length + 1)}=${value}`);
      const response = await fetch(at, { dispatcher, redirect: "manual", headers: { cookie: cookie.join("; ") } });
      await response.body?.cancel();
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(`${origin} ${name}`, value);
      }
      const location = response.headers.get("location");
      assert.ok(location, `status ${response.status} at ${at}`);
      at = new URL(location, at).href;
      if (at.startsWith("https://app.example.com")) return new URL(at);
    }
    throw new Error("too many redirects");
  };

  const signIn = async (client: ReturnType<typeof open>, provider: string, person: string) => {
    const options = { redirectTo: APP, skipBrowserRedirect: true, queryParams: { login_hint: person } };
    const { data, error } = await client.auth.signInWithOAuth({ provider: provider as "google", options });
    assert.equal(error, null);
    return browse(data.url ?? "");
  };

  it("signs in with PKCE, links and unlinks an identity, and reads what the user may read", async () => {
    const client = open("pkce");
    const back = await signIn(client, "corp", "ada");
    const { data, error } = await client.auth.exchangeCodeForSession(back.searchParams.get("code") ?? "");
    assert.equal(error, null);
    assert.equal(data.user?.email, "ada@example.com");
    assert.ok(data.session?.provider_token);
    assert.deepEqual(data.user?.app_metadata, { provider: "corp", providers: ["corp"] });

    const options = { redirectTo: APP, skipBrowserRedirect: true, queryParams: { login_hint: "ada-private" } };
    const link = await client.auth.linkIdentity({ provider: "other" as "google", options });
    assert.equal(link.error, null);
    const returned = await browse(link.data.url ?? "");
    const linked = await client.auth.exchangeCodeForSession(returned.searchParams.get("code") ?? "");
    assert.equal(linked.error, null);
    const { data: listed } = await client.auth.getUserIdentities();
    assert.deepEqual(
      listed?.identities.map(({ provider }) => provider),
      ["corp", "other"],
    );
    const [, other] = listed?.identities ?? [];
    assert.ok(other);
    assert.equal((await client.auth.unlinkIdentity(other)).error, null);
    const [last] = (await client.auth.getUserIdentities()).data?.identities ?? [];
    assert.ok(last);
    assert.equal((await client.auth.unlinkIdentity(last)).error?.code, "single_identity_not_deletable");

    await open("pkce").auth.signUp({ email: "bob@example.com", password: "correct horse" });
    const profiles = await client.from("profiles").select("id");
    assert.deepEqual(profiles.data, [{ id: data.user?.id }]);
    assert.equal((await client.from("agents").insert({ name: "Ada" })).error, null);
    assert.equal((await client.auth.refreshSession()).error, null);
    assert.equal((await client.auth.signOut()).error, null);
  });

  it("signs in with the implicit flow, and takes the ID token of the provider", async () => {
    const client = open("implicit");
    const back = await signIn(client, "corp", "eva");
    const fragment = Object.fromEntries(new URLSearchParams(back.hash.slice(1)));
    const { access_token = "", refresh_token = "" } = fragment;
    assert.ok(fragment["provider_token"]);
    const { data, error } = await client.auth.setSession({ access_token, refresh_token });
    assert.equal(error, null);
    assert.equal(data.user?.email, "eva@example.com");
    const refused = await client.auth.signInWithIdToken({ provider: "corp", token: "a.b.c" });
    assert.equal(refused.error?.code, "bad_jwt");
  });

  it("tells clients and operators which providers there are", async () => {
    const headers = { apikey: service.credentials.anon_key };
    const settings = (await (await fetch(`${url}/auth/v1/settings`, { dispatcher, headers })).json()) as {
      external: Record<string, boolean>;
      sign_in_providers: unknown;
    };
    assert.deepEqual([settings.external["corp"], settings.external["google"]], [true, false]);
    assert.deepEqual(settings.sign_in_providers, [
      { name: "other", label: "Other" },
      { name: "corp", label: "corp" },
    ]);
    const key = service.credentials.service_role_key;
    const operator = { apikey: key, authorization: `Bearer ${key}` };
    const admin = `${url}/auth/v1/admin/sign-in-providers`;
    const check = await fetch(`${admin}/corp/check`, { dispatcher, method: "POST", headers: operator });
    const checked = (await check.json()) as { ok: boolean; message: string };
    assert.equal(checked.ok, true, checked.message);
    const text = await (await fetch(admin, { dispatcher, headers: operator })).text();
    assert.doesNotMatch(text, /CANARY/);
    const { providers } = JSON.parse(text) as { providers: { name: string; callback_url: string; check: unknown }[] };
    assert.deepEqual(
      providers.map(({ name }) => name),
      ["other", "corp"],
    );
    assert.equal(providers[1]?.callback_url, `${url}/auth/v1/callback`);
    assert.deepEqual(providers[1]?.check, checked);
    assert.equal((await fetch(admin, { dispatcher, headers })).status, 401);
  });
});
