import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { createClient, GoTrueAdminApi } from "@supabase/supabase-js";
import { AUTH_URL, createFetch } from "./admin-fetch.ts";
import { PASSWORD } from "./mfa-person.ts";
import { createAuthContext } from "./support/auth-context.ts";
import { type CeremonyOptions, SoftwareAuthenticator } from "../support/software-authenticator.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const PAGE = "https://localhost:8443";
const GUIDE = new URL("../../../docs/guides/passkeys.md", import.meta.url);

type Result = { readonly data: unknown; readonly error: unknown };

function ok<R extends Result>(result: R): NonNullable<Extract<R, { error: null }>["data"]> {
  assert.equal(result.error, null);
  return result.data as NonNullable<Extract<R, { error: null }>["data"]>;
}

class PublicKeyCredential {
  readonly toJSON: () => unknown;
  constructor(response: unknown) {
    this.toJSON = () => response;
  }
}

/** A page of a browser, as far as the client asks for one, with this authenticator. */
async function onPage<T>(authenticator: SoftwareAuthenticator, work: () => Promise<T>): Promise<T> {
  const ask =
    (answer: (options: CeremonyOptions) => unknown) =>
    async ({ publicKey }: { readonly publicKey: unknown }) =>
      new PublicKeyCredential(answer(toText(publicKey) as CeremonyOptions));
  const credentials = {
    create: ask((options) => authenticator.create(options)),
    get: ask((options) => authenticator.get(options)),
  };
  const members = {
    window: { location: new URL(PAGE), PublicKeyCredential },
    document: {},
    navigator: { credentials },
    PublicKeyCredential,
  };
  const before = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  try {
    return await work();
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  }
}

/** The client passes buffers where the protocol has base64url. */
function toText(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64url");
  if (Array.isArray(value)) return value.map(toText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toText(member)]));
}

describe("the client library", () => {
  it("registers, uses, names and removes passkeys, and uses WebAuthn as a second factor", async (t) => {
    const stage = await createAuthContext(t);
    const fetch = createFetch(stage);
    const open = () =>
      createClient(PAGE, stage.anonKey, {
        global: { fetch },
        auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
      });
    const { auth } = open();
    const email = "ada@example.com";
    const { user } = ok(await auth.signUp({ email, password: PASSWORD }));
    const laptop = new SoftwareAuthenticator(PAGE);
    const passkey = ok(await onPage(laptop, () => auth.registerPasskey()));
    assert.deepEqual(ok(await auth.passkey.list()), [passkey]);
    const renamed = ok(await auth.passkey.update({ passkeyId: passkey.id, friendlyName: "Laptop" }));
    assert.deepEqual(renamed, { ...passkey, friendly_name: "Laptop" });

    const visitor = open().auth;
    const events: string[] = [];
    visitor.onAuthStateChange((event) => void events.push(event));
    const signedIn = ok(await onPage(laptop, () => visitor.signInWithPasskey()));
    assert.equal(signedIn.user?.id, user?.id);
    assert.ok(events.includes("SIGNED_IN"));
    const readLevel = async () => {
      const { currentLevel, nextLevel, currentAuthenticationMethods } = ok(
        await visitor.mfa.getAuthenticatorAssuranceLevel(),
      );
      const methods = currentAuthenticationMethods.map((entry) => (typeof entry === "string" ? entry : entry.method));
      return [currentLevel, nextLevel, methods];
    };
    assert.deepEqual(await readLevel(), ["aal1", "aal1", ["passkey"]]);

    const key = new SoftwareAuthenticator(PAGE);
    const { webauthn } = visitor.mfa;
    ok(await onPage(key, () => webauthn.register({ friendlyName: "Key" })));
    assert.deepEqual(await readLevel(), ["aal2", "aal2", ["mfa/webauthn", "passkey"]]);
    const [factor] = ok(await visitor.mfa.listFactors()).webauthn;
    assert.equal(factor?.friendly_name, "Key");
    ok(await onPage(laptop, () => visitor.signInWithPasskey()));
    assert.deepEqual(await readLevel(), ["aal1", "aal2", ["passkey"]]);
    const refused = await visitor.passkey.delete({ passkeyId: passkey.id });
    assert.equal(refused.error?.code, "insufficient_aal");
    ok(await onPage(key, () => webauthn.authenticate({ factorId: factor?.id ?? "" })));
    assert.deepEqual(await readLevel(), ["aal2", "aal2", ["mfa/webauthn", "passkey"]]);
    assert.equal((await visitor.passkey.delete({ passkeyId: passkey.id })).error, null);

    const phone = new SoftwareAuthenticator(PAGE);
    const begun = ok(await visitor.passkey.startRegistration());
    const credential = phone.create(begun.options);
    const { id: passkeyId } = ok(
      await visitor.passkey.verifyRegistration({ challengeId: begun.challenge_id, credential }),
    );
    const headers = { Authorization: `Bearer ${stage.serviceRoleKey}` };
    const admin = new GoTrueAdminApi({ url: AUTH_URL, headers, fetch });
    const userId = user?.id ?? "";
    assert.deepEqual(
      ok(await admin.passkey.listPasskeys({ userId })).map(({ id }) => id),
      [passkeyId],
    );
    assert.equal((await admin.passkey.deletePasskey({ userId, passkeyId })).error, null);
    const started = ok(await visitor.passkey.startAuthentication());
    const gone = await visitor.passkey.verifyAuthentication({
      challengeId: started.challenge_id,
      credential: phone.get(started.options),
    });
    assert.equal(gone.error?.code, "webauthn_verification_failed");
  });

  it("runs the examples of the guide docs/guides/passkeys.md", async (t) => {
    const stage = await createAuthContext(t);
    const folder = await createTemporaryFolder(t, "passkeys-");
    const supabase = createClient(PAGE, stage.anonKey, {
      global: { fetch: createFetch(stage) },
      auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    });
    ok(await supabase.auth.signUp({ email: "ada@example.com", password: PASSWORD }));
    let laptop = new SoftwareAuthenticator(PAGE);
    const blocks = [...(await readFile(GUIDE, "utf8")).matchAll(/^```js\n([\s\S]*?)^```$/gm)];
    for (const [at, [, text = ""]] of blocks.entries()) {
      // The example before has removed the passkey, which the authenticator would still offer.
      if (text.includes("signInWithPasskey")) {
        laptop = new SoftwareAuthenticator(PAGE);
        ok(await onPage(laptop, () => supabase.auth.registerPasskey()));
      }
      const file = join(folder, `${at}.mjs`);
      await writeFile(
        file,
        `export default async (supabase) => {\n${text}\nreturn typeof error === "object" ? error : null;\n};\n`,
      );
      const { default: example } = (await import(pathToFileURL(file).href)) as {
        readonly default: (client: typeof supabase) => Promise<unknown>;
      };
      // Each factor has an authenticator of its own.
      const authenticator = text.includes("mfa.webauthn") ? new SoftwareAuthenticator(PAGE) : laptop;
      assert.equal(await onPage(authenticator, () => example(supabase)), null, text);
    }
    const { webauthn } = ok(await supabase.auth.mfa.listFactors());
    assert.deepEqual(
      webauthn.map(({ friendly_name }) => friendly_name),
      ["Security key", "This phone"],
    );
    assert.equal(ok(await supabase.auth.passkey.list()).length, 1);
  });
});
