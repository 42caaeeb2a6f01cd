import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import type { AuthChangeEvent, Session, SupabaseClient } from "@supabase/supabase-js";
import { newEmail, ok, openAdmin, openClient, PASSWORD, signInAgain, signUpNew } from "./support/clients.ts";
import { type Service, startService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";

let service: Service;
before(async () => {
  service = await startService(QUICK_HASHES);
});
after(() => service?.stop());

interface Listener {
  events: AuthChangeEvent[];
  /** The session of the event, which may have been emitted before this call. */
  waitFor(event: AuthChangeEvent): Promise<Session | null>;
}

function listen({ auth }: SupabaseClient): Listener {
  const seen: [AuthChangeEvent, Session | null][] = [];
  const events: AuthChangeEvent[] = [];
  let notify = () => {};
  auth.onAuthStateChange((event, session) => {
    seen.push([event, session]);
    events.push(event);
    notify();
  });
  return {
    events,
    async waitFor(expected) {
      for (;;) {
        const found = seen.find(([event]) => event === expected);
        if (found !== undefined) return found[1];
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    },
  };
}

/** The storage of a browser between two visits. */
class Storage {
  readonly #items = new Map<string, string>();

  getItem(name: string): string | null {
    return this.#items.get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    this.#items.set(name, value);
  }

  removeItem(name: string): void {
    this.#items.delete(name);
  }

  /** Makes the stored access token expire in this many seconds. */
  age(remainingSeconds: number): void {
    for (const [name, value] of this.#items) {
      const kept = JSON.parse(value) as Partial<Session>;
      if (kept.expires_at === undefined) continue;
      this.#items.set(name, JSON.stringify({ ...kept, expires_at: Math.floor(Date.now() / 1000) + remainingSeconds }));
    }
  }
}

/** The library logs the errors that these tests provoke. */
function muteClient(t: TestContext): void {
  for (const name of ["warn", "error"] as const) t.mock.method(console, name, () => {});
}

test("5.5 a client sees SIGNED_IN, USER_UPDATED, TOKEN_REFRESHED and SIGNED_OUT, in this order", async () => {
  const email = newEmail();
  ok(await openClient(service).auth.signUp({ email, password: PASSWORD }));
  const client = openClient(service);
  const listener = listen(client);
  await listener.waitFor("INITIAL_SESSION");
  const { session } = ok(await client.auth.signInWithPassword({ email, password: PASSWORD }));
  ok(await client.auth.updateUser({ data: { full_name: "Ada" } }));
  ok(await client.auth.refreshSession());
  assert.equal((await client.auth.signOut()).error, null);

  assert.deepEqual(listener.events, ["INITIAL_SESSION", "SIGNED_IN", "USER_UPDATED", "TOKEN_REFRESHED", "SIGNED_OUT"]);
  assert.equal((await listener.waitFor("SIGNED_IN"))?.access_token, session.access_token);
  assert.equal((await listener.waitFor("USER_UPDATED"))?.user.user_metadata["full_name"], "Ada");
  const refreshed = await listener.waitFor("TOKEN_REFRESHED");
  assert.notEqual(refreshed?.refresh_token, session.refresh_token);
  assert.equal(refreshed?.user.user_metadata["full_name"], "Ada");
  assert.equal(await listener.waitFor("SIGNED_OUT"), null);
});

test("5.5 a sign-up that starts a session emits SIGNED_IN", async () => {
  const client = openClient(service);
  const listener = listen(client);
  await listener.waitFor("INITIAL_SESSION");
  const email = newEmail();
  ok(await client.auth.signUp({ email, password: PASSWORD }));
  assert.equal((await listener.waitFor("SIGNED_IN"))?.user.email, email);
  assert.deepEqual(listener.events, ["INITIAL_SESSION", "SIGNED_IN"]);
});

test("5.4 a client refreshes its token automatically before it expires", async () => {
  const storage = new Storage();
  const { session } = await signUpNew(service, { auth: { storage, autoRefreshToken: false } });
  storage.age(60);
  const later = openClient(service, { auth: { storage } });
  const refreshed = await listen(later).waitFor("TOKEN_REFRESHED");
  await later.auth.stopAutoRefresh();
  assert.equal(refreshed?.user.id, session.user.id);
  assert.notEqual(refreshed?.refresh_token, session.refresh_token);
  assert.ok((refreshed?.expires_at ?? 0) > Date.now() / 1000 + 3500);
  assert.equal((await later.auth.getUser()).error, null);
});

test("5.4 a client that returns after its token has expired is still signed in", async () => {
  const storage = new Storage();
  const { session } = await signUpNew(service, { auth: { storage, autoRefreshToken: false } });
  storage.age(-7200);
  const later = openClient(service, { auth: { storage, autoRefreshToken: false } });
  const { session: found } = ok(await later.auth.getSession());
  assert.equal(found?.user.id, session.user.id);
  assert.notEqual(found?.refresh_token, session.refresh_token);
  assert.equal((await later.auth.getUser()).error, null);
});

test("5.5 a client whose session was ended elsewhere gets 401 with the next call", async (t) => {
  muteClient(t);
  const { client: asking, email } = await signUpNew(service);
  const storage = new Storage();
  await signInAgain(service, email, { auth: { storage, autoRefreshToken: false } });
  const { client: elsewhere } = await signInAgain(service, email);
  const listener = listen(asking);
  assert.equal((await elsewhere.auth.signOut({ scope: "global" })).error, null);

  assert.equal((await asking.auth.getUser()).data.user, null);
  assert.equal(await listener.waitFor("SIGNED_OUT"), null);
  assert.equal(ok(await asking.auth.getSession()).session, null);

  storage.age(-1);
  const comingBack = openClient(service, { auth: { storage, autoRefreshToken: false } });
  assert.equal(await listen(comingBack).waitFor("SIGNED_OUT"), null);
  assert.equal(ok(await comingBack.auth.getSession()).session, null);
});

test("5.5 a client whose user was banned is signed out with its next refresh", async (t) => {
  muteClient(t);
  const storage = new Storage();
  const { session } = await signUpNew(service, { auth: { storage, autoRefreshToken: false } });
  ok(await openAdmin(service).auth.admin.updateUserById(session.user.id, { ban_duration: "1h" }));
  storage.age(-1);
  const comingBack = openClient(service, { auth: { storage, autoRefreshToken: false } });
  assert.equal(await listen(comingBack).waitFor("SIGNED_OUT"), null);
  assert.equal(ok(await comingBack.auth.getSession()).session, null);
});
