import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createAuthHousekeeping } from "../../src/auth/index.ts";
import { createTestDatabase } from "../support/database.ts";

test("housekeeping deletes expired rows in batches, and no others", async (t) => {
  const { owner, url } = await createTestDatabase(t);
  const pool = new pg.Pool({ connectionString: url("sb_service"), max: 2 });
  // The database is dropped before the pool is ended.
  pool.on("error", () => {});
  t.after(() => pool.end());
  await owner.query(
    `with person as (insert into auth.users (email) values ('expired@example.com') returning id),
          ended as (insert into auth.sessions (user_id, refresh_key_wrapped, not_after, user_agent)
                    select id, '\\x00', now() - interval '31 days', 'ended ' || n from person, generate_series(1, 25) n),
          recent as (insert into auth.sessions (user_id, refresh_key_wrapped, not_after, user_agent)
                     select id, '\\x00', now() - interval '1 day', 'ended lately' from person),
          idle as (insert into auth.sessions (user_id, refresh_key_wrapped, refreshed_at, user_agent)
                   select id, '\\x00', now() - interval '33 days', 'idle' from person),
          live as (insert into auth.sessions (user_id, refresh_key_wrapped, refreshed_at, user_agent)
                   select id, '\\x00', now() - interval '20 days', 'live' from person),
          codes as (insert into auth.one_time_tokens (user_id, kind, token_hash, relates_to, expires_at)
                    select id, kind, '\\x00', 'expired@example.com', at from person,
                      (values ('recovery', now() - interval '1 second'), ('magiclink', now() + interval '1 hour')) as v (kind, at)),
          flows as (insert into auth.flow_states (user_id, authentication_method, code_challenge, code_challenge_method, expires_at)
                    select id, 'otp', 'x', 's256', now() + n * interval '1 hour' from person, (values (-1), (1)) as v (n)),
          nonces as (insert into private.request_nonces (user_id, nonce, expires_at)
                     select id, 'nonce-' || n, now() + n * interval '1 second' from person, (values (-1), (300)) as v (n)),
          factor as (insert into auth.mfa_factors (user_id, factor_type, secret_wrapped)
                     select id, 'totp', '\\x00' from person returning id),
          tries as (insert into auth.mfa_challenges (factor_id, expires_at)
                    select id, now() + n * interval '1 minute' from factor, (values (-6), (-4), (1)) as v (n)),
          passkeys as (insert into auth.webauthn_challenges (user_id, challenge_hash, expires_at)
                       select case when n > 0 then id end, 'x', now() + n * interval '1 minute'
                         from person, (values (-61), (-59), (1)) as v (n)),
          audits as (insert into auth.audit_log_entries (action, user_id, created_at)
                     select 'x', id, now() - n * interval '1 day' from person, (values (91), (89)) as v (n)),
          mails as (insert into private.mail_outbox (kind, user_id, created_at, ended_at, outcome)
                    select 'x', id, now() - n * interval '1 hour', at, case when at is not null then 'sent' end
                    from person, (values (48, now() - interval '25 hours'), (2, now() - interval '1 hour'), (72, null)) as v (n, at))
     insert into auth.mail_throttles (address_hash, slot, sent_at)
     values ('\\x01', 'recovery', now() - interval '2 minutes'), ('\\x02', 'recovery', now())`,
  );
  const counts = async (): Promise<Record<string, unknown>> => {
    const { rows } = await owner.query(
      `select array(select user_agent from auth.sessions order by user_agent) as sessions,
              (select count(*)::int from auth.one_time_tokens) as codes, (select count(*)::int from auth.flow_states) as flows,
              (select count(*)::int from auth.mfa_challenges) as challenges,
              (select count(*)::int from auth.webauthn_challenges) as passkeys,
              (select count(*)::int from auth.mail_throttles) as throttles,
              (select count(*)::int from auth.audit_log_entries) as audits,
              array(select nonce from private.request_nonces) as nonces,
              (select count(*)::int from private.mail_outbox) as mails`,
    );
    return rows[0];
  };
  const sweep = async (days: number): Promise<Record<string, unknown>> => {
    const ending = new AbortController();
    const swept = Promise.withResolvers<void>();
    let sweeps = 0;
    // Each pass reads the clock once when it begins, so the second reading means that the first pass has ended.
    const now = (): Date => {
      sweeps += 1;
      if (sweeps === 2) swept.resolve();
      return new Date();
    };
    const worker = createAuthHousekeeping(
      { pool, clock: { now } },
      {
        settings: {
          authAuditRetentionDays: 3 * days,
          authRetentionDays: days,
          authSessionIdleTtlSeconds: 2 * 86_400,
          authMailIntervalSeconds: 60,
        },
        random: () => 0.5,
        intervalMs: 20,
        batchSize: 10,
      },
    );
    const running = worker.run(ending.signal);
    await swept.promise;
    ending.abort();
    await running;
    return counts();
  };
  const { sessions, ...rest } = await sweep(0);
  assert.equal((sessions as unknown[]).length, 28, "0 days keeps every session");
  assert.deepEqual(rest, {
    codes: 1,
    flows: 1,
    // Wrong codes count for five minutes after their challenge has expired.
    challenges: 2,
    // A page that waited for up to an hour learns that its challenge has expired.
    passkeys: 2,
    throttles: 1,
    audits: 2,
    nonces: ["nonce-300"],
    mails: 2,
  });
  const kept = await sweep(30);
  assert.deepEqual([kept["sessions"], kept["audits"]], [["ended lately", "live"], 1]);
});
