import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { loadSettings, SETTINGS, type Settings, SettingsError } from "../../src/config/index.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

const MASTER_KEY = "m".repeat(32);
const DATABASE_URL = "postgres://owner:hunter2@db.example:5432/swarmbase";

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadSettings(env);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.faults;
  }
  return [];
}

describe("defaults", () => {
  it("are complete without any variable", () => {
    const settings = loadSettings({}, resolve("/srv/swarm"));
    assert.deepEqual({ ...settings }, {
      host: "127.0.0.1",
      port: 8443,
      publicUrl: null,
      dataDir: resolve("/srv/swarm/.swarmbase"),
      nodeEnv: "development",
      roles: ["api", "worker", "realtime"],
      workers: 0,
      consoleEnabled: true,
      portalFrameAncestors: [],
      extensions: [
        "providers",
        "reference",
        "docs-site",
        "database-tools",
        "listen",
        "backup",
        "agents-as-code",
        "app-functions",
        "opentelemetry",
        "mcp-server",
        "mcp-client",
        "openai-api",
        "a2a",
        "a2a-client",
        "rpc-tools",
        "schedules",
        "triggers",
        "ag-ui",
        "account-export",
      ],
      tlsMode: "serve",
      tlsCertFile: null,
      tlsKeyFile: null,
      http2Enabled: true,
      compressionEnabled: true,
      trustedProxies: [],
      databaseUrl: null,
      databaseDirectUrl: null,
      databaseAdminUrl: null,
      dbPoolSize: 10,
      dbUserSharePercent: 25,
      dbLockTimeoutMs: 2000,
      restoredCopy: "keep",
      dbSchemas: ["public"],
      dbExtraSearchPath: ["public", "extensions"],
      dbPreRequest: null,
      dbMaxRows: 1000,
      dbMaxEmbedDepth: 8,
      dbMaxEmbeds: 20,
      dbResponseLimitBytes: 33_554_432,
      dbBufferLimitBytes: 268_435_456,
      dbMaxCountedRows: 10_000,
      dbStatementTimeoutMs: 8000,
      dbPlanEnabled: false,
      dbTxOverride: false,
      embeddedPort: 0,
      masterKey: null,
      anonKey: null,
      serviceRoleKey: null,
      siteUrl: null,
      redirectAllowList: [],
      authAutoconfirm: null,
      authSignupEnabled: true,
      authAnonymousEnabled: true,
      authProvidersFile: null,
      authAccessTokenTtlSeconds: 3600,
      authRefreshReuseSeconds: 10,
      authRefreshPrevious: "until-seen",
      authSessionTtlSeconds: 0,
      authSessionIdleTtlSeconds: 0,
      authRetentionDays: 30,
      authAuditRetentionDays: 90,
      oauthConsentUrl: null,
      oauthRefreshTtlDays: 30,
      oauthDynamicRegistrationEnabled: false,
      oauthMaxDynamicClients: 1000,
      apiKeysPerUser: 20,
      apiKeyMaxTtlDays: 0,
      invitationTtlDays: 30,
      authOtpTtlSeconds: 86_400,
      authOtpLength: 6,
      authPasswordMinLength: 6,
      authPasswordCharacters: "any",
      authPasswordMemoryKib: 19_456,
      authPasswordIterations: 2,
      authPasswordParallelism: 1,
      authReauthenticate: true,
      authSecureEmailChange: true,
      authMfaFactorsPerUser: 10,
      authPasskeysRpId: null,
      authPasskeysOrigins: null,
      authPasskeysPerUser: 20,
      authMfaEnforce: true,
      smtpUrl: null,
      mailFrom: "Swarmbase <no-reply@localhost>",
      authMailIntervalSeconds: 60,
      authHookCustomAccessTokenUri: null,
      authHookCustomAccessTokenSecret: null,
      authHookCustomAccessTokenTimeoutMs: 5_000,
      authHookCustomAccessTokenOnFailure: "deny",
      authHookBeforeUserCreatedUri: null,
      authHookBeforeUserCreatedSecret: null,
      authHookBeforeUserCreatedTimeoutMs: 5_000,
      authHookBeforeUserCreatedOnFailure: "deny",
      authHookPasswordVerificationAttemptUri: null,
      authHookPasswordVerificationAttemptSecret: null,
      authHookPasswordVerificationAttemptTimeoutMs: 5_000,
      authHookPasswordVerificationAttemptOnFailure: "deny",
      authHookMfaVerificationAttemptUri: null,
      authHookMfaVerificationAttemptSecret: null,
      authHookMfaVerificationAttemptTimeoutMs: 5_000,
      authHookMfaVerificationAttemptOnFailure: "deny",
      authHookSendEmailUri: null,
      authHookSendEmailSecret: null,
      authHookSendEmailTimeoutMs: 5_000,
      authHookSendEmailOnFailure: "deny",
      webhookRetrySchedule: [0, 60, 300, 1800, 7200],
      webhookAllowedCidrs: null,
      webhookAllowedPorts: [],
      webhookCaFile: null,
      webhookConcurrency: 256,
      webhookEndpointConcurrency: 8,
      webhookQueueLimit: 100_000,
      eventLimitBytes: 262_144,
      webhookRetentionDays: 30,
      realtimeSocketsPerNode: 20_000,
      realtimeSocketsPerAddress: 1_000,
      realtimeChannelsPerSocket: 100,
      realtimeChannelsPerUser: 1_000,
      realtimePresenceLimitBytes: 16_384,
      realtimeHeldBytesPerSocket: 2_097_152,
      realtimeHeldBytesPerUser: 4_194_304,
      realtimeHeldBytesPerAddress: 4_194_304,
      realtimeHeldBytesPerTopic: 4_194_304,
      realtimeHeldBytesPerNode: 67_108_864,
      realtimeVisitorHeldBytesPerNode: 16_777_216,
      realtimeJoinsPerSecond: 100,
      realtimeEventsPerSecond: 500,
      realtimePayloadLimitBytes: 1_048_576,
      realtimeFrameLimitBytes: 5_242_880,
      realtimeSendBufferLimitBytes: 4_194_304,
      realtimeIdleTimeoutMs: 70_000,
      realtimeRecheckIntervalSeconds: 60,
      realtimeExpiryWarningSeconds: 60,
      providerAKind: "openai",
      providerABaseUrl: null,
      providerAApiKey: null,
      providerAModels: [],
      providerADefaultModel: null,
      providerBKind: "anthropic",
      providerBBaseUrl: null,
      providerBApiKey: null,
      providerBModels: [],
      providerBDefaultModel: null,
      providerCKind: "google",
      providerCBaseUrl: null,
      providerCApiKey: null,
      providerCModels: [],
      providerCDefaultModel: null,
      providersFile: null,
      providerDetection: true,
      allowSimulated: "0",
      providerFirstByteTimeoutMs: 30_000,
      providerIdleTimeoutMs: 30_000,
      providerTotalTimeoutMs: 120_000,
      simulatedFirstTokenDelayMs: 0,
      simulatedTokensPerSecond: 0,
      agentRunConcurrency: 256,
      agentProviderSharePercent: 40,
      agentUserSharePercent: 50,
      agentRunLeaseSeconds: 10,
      agentRunMaxSeconds: 600,
      agentRunMaxToolSteps: 25,
      agentRunMaxCalls: 50,
      agentWaitingRunsPerUser: 1000,
      agentApprovalTtlSeconds: 900,
      agentClientToolTtlSeconds: 900,
      agentToolConcurrency: 8,
      agentQueueLimit: 10,
      agentVersionsKept: 100,
      agentSummaryModel: null,
      agentPublishers: "service",
      agentQueueTimeoutMs: 30_000,
      agentStreamsPerUser: 1000,
      runEventsRetentionDays: 1,
      modelCallsRetentionDays: 30,
      otelInstrumentationGenaiCaptureMessageContent: false,
      connectionsPerNode: 25_000,
      connectionsPerAddress: 2_000,
      bodyLimitBytes: 1_048_576,
      agentLimitPerUser: 100,
      limitApi: 100,
      limitAuth: 10,
      limitAi: 30,
      limitTools: 50,
      limitWebhooks: 100,
      redisUrl: null,
      handshakeTimeoutMs: 10_000,
      headersTimeoutMs: 15_000,
      requestTimeoutMs: 30_000,
      stopDelayMs: 0,
      stopTimeoutMs: 10_000,
      agentRunStopTimeoutMs: 30_000,
      logLevel: "info",
      logFormat: "auto",
      accessLogEnabled: false,
      diskWarningBytes: 2_000_000_000,
      walWarningBytes: 4_000_000_000,
      metricsPort: 0,
      metricsHost: "127.0.0.1",
    } satisfies Settings);
  });

  it("stand in for empty variables, except EXTENSIONS, which then names none", () => {
    const empty = Object.fromEntries(SETTINGS.map((row) => [row.name, ""]));
    assert.deepEqual({ ...loadSettings(empty) }, { ...loadSettings({}), extensions: [] });
  });

  it("lie within the bounds of their own row", () => {
    for (const row of SETTINGS) {
      if (row.default === null || typeof row.default === "object") continue;
      assert.deepEqual(faultsOf({ [row.name]: String(row.default) }), [], row.name);
    }
  });

  it("contain no secret", () => {
    for (const row of SETTINGS) if (row.secret) assert.equal(row.default, null, row.name);
  });
});

describe("values", () => {
  it("are frozen, lists included", () => {
    const settings = loadSettings({ TRUSTED_PROXIES: "10.0.0.0/8" });
    assert.ok(Object.isFrozen(settings));
    assert.ok(Object.isFrozen(settings.trustedProxies));
    assert.ok(Object.isFrozen(loadSettings({}).trustedProxies));
  });

  it("make paths absolute from the given folder", () => {
    const env = { DATA_DIR: "var", TLS_CERT_FILE: "tls/cert.pem", TLS_KEY_FILE: "/etc/tls/key.pem" };
    const settings = loadSettings(env, resolve("/srv/swarm"));
    assert.equal(settings.dataDir, resolve("/srv/swarm/var"));
    assert.equal(settings.tlsCertFile, resolve("/srv/swarm/tls/cert.pem"));
    assert.equal(settings.tlsKeyFile, resolve("/etc/tls/key.pem"));
  });

  it("use the database for direct and administrative connections unless these have their own", () => {
    const one = loadSettings({ DATABASE_URL, MASTER_KEY });
    assert.equal(one.databaseDirectUrl, DATABASE_URL);
    assert.equal(one.databaseAdminUrl, DATABASE_URL);
    const two = loadSettings({
      DATABASE_URL,
      MASTER_KEY,
      DATABASE_ADMIN_URL: "postgresql://root@db.example/swarmbase",
    });
    assert.equal(two.databaseAdminUrl, "postgresql://root@db.example/swarmbase");
    assert.equal(two.databaseUrl, DATABASE_URL);
  });

  it("drop the slash at the end of the public address", () => {
    assert.equal(loadSettings({ PUBLIC_URL: "https://swarm.example/" }).publicUrl, "https://swarm.example");
    assert.equal(loadSettings({ PUBLIC_URL: "https://swarm.example/at/" }).publicUrl, "https://swarm.example/at");
  });

  it("split the list of proxies", () => {
    const settings = loadSettings({ TLS_MODE: "proxy", TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7,::1,fd00::/8" });
    assert.deepEqual(settings.trustedProxies, ["10.0.0.0/8", "192.0.2.7", "::1", "fd00::/8"]);
  });

  it("hide secrets when the settings are printed as a whole, and only then", () => {
    const settings = loadSettings({ DATABASE_URL, MASTER_KEY });
    for (const printed of [JSON.stringify(settings), inspect(settings), inspect({ settings })]) {
      assert.ok(!printed.includes("hunter2") && !printed.includes(MASTER_KEY), printed);
      assert.match(printed, /8443/);
    }
    assert.equal(settings.masterKey, MASTER_KEY);
  });
});

describe("accepted and rejected values", () => {
  const cases: Record<string, { good: string[]; bad: string[] }> = {
    PORT: {
      good: ["0", "1", "65535"],
      bad: ["65536", "-1", "+1", "12abc", "1e3", "0x10", "1.0", "08", " 1", "1 ", "NaN"],
    },
    HOST: {
      good: ["0.0.0.0", "::", "localhost", "node-1.example", "a"],
      bad: ["300.1.1.1", "-a", "a_b", "a b", "a..b", "http://a", "a:80"],
    },
    PUBLIC_URL: {
      good: ["https://a.example", "HTTPS://a.example:8443", "https://[::1]:1"],
      bad: ["http://a.example", "a.example", "https://", "https://u:p@a.example", "https://a/?q", "https://a/#f"],
    },
    DATABASE_DIRECT_URL: {
      good: [
        "postgres:///name?host=/tmp",
        "postgres://u@/name?host=/tmp",
        "postgresql://u:p%40@h:5433/d?sslmode=require",
        "postgresql://u:p@a:5432,b:5433,[::1]/d?target_session_attrs=read-write",
        "postgresql:///d?host=a,b&port=5432&target_session_attrs=primary",
      ],
      bad: [
        "mysql://u@h/d",
        "h/d",
        "postgres:h",
        "postgres://u@h:x/d",
        "postgres://u:%zz@h/d",
        "POSTGRES://h d",
        "postgres://u@a,b:x/d",
        "postgres:///d?host=a,b&port=1,2,3",
      ],
    },
    MASTER_KEY: { good: ["k".repeat(32)], bad: ["k".repeat(31), `${"k".repeat(32)} k`, "é".repeat(40)] },
    TLS_MODE: { good: ["serve"], bad: ["SERVE", "off"] },
    WEBHOOK_RETRY_SCHEDULE: {
      good: ["0", "0,60, 300"],
      bad: ["0,", "-1", "1.5", "0,604801", "a", "1;2", "1,".repeat(20) + "1"],
    },
    WEBHOOK_ALLOWED_PORTS: {
      good: ["5432", "1, 65535"],
      bad: ["0", "65536", "5432,", "-1", "05432", "https", "1-1024", "1,".repeat(100) + "1"],
    },
    PORTAL_FRAME_ANCESTORS: {
      good: ["https://app.example.com", "https://a.example:8443, https://*.example.org", "http://localhost:3000"],
      bad: [
        "*",
        "'self'",
        "app.example.com",
        "https://",
        "https://*",
        "https://*.com/",
        "https://*.localhost",
        "https://a.example/",
        "https://a.example/path",
        "https://a.example; script-src *",
        "https://a.example https://b.example",
        "https://u@a.example",
        "https://A.example",
        "https://a.*.example",
        "ftp://a.example",
        "data:",
        "https://a.example,",
      ],
    },
    TRUSTED_PROXIES: {
      good: ["127.0.0.1", "10.0.0.0/0", "::/128"],
      bad: [
        "10.0.0.0/33",
        "10.0.0/8",
        "::1/129",
        "a",
        "10.0.0.1,",
        "1.1.1.1/",
        "1.1.1.1/8/8",
        "fe80::1%eth0",
        "1.1.1.1/08",
      ],
    },
    NODE_ENV: { good: ["production", "test"], bad: ["staging"] },
    LOG_LEVEL: { good: ["trace"], bad: ["silly", "Info"] },
    BODY_LIMIT_BYTES: { good: ["1024"], bad: ["0", "1mb"] },
    DB_POOL_SIZE: { good: ["1"], bad: ["0"] },
    AGENT_LIMIT_PER_USER: { good: ["1"], bad: ["0", "99999999999999999999"] },
  };
  for (const [name, { good, bad }] of Object.entries(cases)) {
    it(name, () => {
      const around = name === "DATABASE_DIRECT_URL" ? { DATABASE_URL, MASTER_KEY } : {};
      for (const text of good) assert.deepEqual(faultsOf({ ...around, [name]: text }), [], text);
      for (const text of bad) {
        const faults = faultsOf({ ...around, [name]: text });
        assert.equal(faults.length, 1, text);
        assert.ok(faults[0]?.startsWith(`${name} must`), `${text}: ${faults[0]}`);
      }
    });
  }
});

describe("settings that depend on each other", () => {
  const cases: [string, Record<string, string>, RegExp][] = [
    ["a certificate without its key", { TLS_CERT_FILE: "c.pem" }, /^TLS_KEY_FILE is missing/],
    ["a key without its certificate", { TLS_KEY_FILE: "k.pem" }, /^TLS_CERT_FILE is missing/],
    ["proxy mode without proxies", { TLS_MODE: "proxy" }, /^TRUSTED_PROXIES is required/],
    ["a schema of the system", { DB_SCHEMAS: "public, pg_catalog" }, /^DB_SCHEMAS cannot contain pg_catalog/],
    ["a database without master key", { DATABASE_URL }, /^MASTER_KEY is required/],
    ["a direct connection alone", { DATABASE_DIRECT_URL: DATABASE_URL }, /^DATABASE_DIRECT_URL is set without/],
    ["an administrative connection alone", { DATABASE_ADMIN_URL: DATABASE_URL }, /^DATABASE_ADMIN_URL is set without/],
    [
      "a database that only reads",
      { DATABASE_URL: `${DATABASE_URL}?target_session_attrs=any`, MASTER_KEY },
      /^DATABASE_URL: target_session_attrs must be read-write or primary/,
    ],
    [
      "origins of passkeys without their domain",
      { AUTH_PASSKEYS_ORIGINS: "https://app.example.com" },
      /^AUTH_PASSKEYS_ORIGINS is set without AUTH_PASSKEYS_RP_ID/,
    ],
    ["passkeys of an IP address", { AUTH_PASSKEYS_RP_ID: "127.0.0.1" }, /^AUTH_PASSKEYS_RP_ID must be a domain/],
    ["passkeys of a top-level domain", { AUTH_PASSKEYS_RP_ID: "com" }, /^AUTH_PASSKEYS_RP_ID must be a domain/],
    [
      "passkeys of another domain than that of the site",
      { AUTH_PASSKEYS_RP_ID: "example.com", SITE_URL: "https://example.org", PUBLIC_URL: "https://notexample.com" },
      /^AUTH_PASSKEYS_RP_ID must be the domain of SITE_URL or PUBLIC_URL/,
    ],
    ...[
      "https://app.example.com,https://example.org",
      "https://notexample.com",
      "http://app.example.com",
      "https://*.example.com",
    ].map((origins): [string, Record<string, string>, RegExp] => [
      `passkeys of example.com on ${origins}`,
      { AUTH_PASSKEYS_RP_ID: "example.com", AUTH_PASSKEYS_ORIGINS: origins },
      /^AUTH_PASSKEYS_ORIGINS accepts only/,
    ]),
    ["one key for both roles", { ANON_KEY: "same", SERVICE_ROLE_KEY: "same" }, /^ANON_KEY and SERVICE_ROLE_KEY must/],
  ];
  for (const [title, env, expected] of cases) {
    it(`rejects ${title}`, () => {
      const faults = faultsOf(env);
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? "", expected);
    });
  }
});

it("accepts passkeys of the domain of a page, or of one above it", () => {
  for (const env of [
    { AUTH_PASSKEYS_RP_ID: "example.com", AUTH_PASSKEYS_ORIGINS: "https://example.com, https://app.example.com:8443" },
    { AUTH_PASSKEYS_RP_ID: "Example.com", SITE_URL: "https://app.example.com/start" },
    { AUTH_PASSKEYS_RP_ID: "localhost", AUTH_PASSKEYS_ORIGINS: "http://localhost:5173,https://app.localhost" },
    { AUTH_PASSKEYS_RP_ID: "localhost" },
  ])
    assert.deepEqual(faultsOf(env), []);
});

describe("faults", () => {
  it("are all in one message", () => {
    const env = { PORT: "x", LOG_LEVEL: "loud", TLS_CERT_FILE: "c.pem", DATABASE_URL: "mysql://u:hunter2@h/d" };
    assert.throws(
      () => loadSettings(env),
      (error) => {
        assert.ok(error instanceof SettingsError);
        assert.equal(error.faults.length, 5);
        for (const fault of error.faults) assert.ok(error.message.includes(fault));
        for (const name of ["PORT", "LOG_LEVEL", "TLS_KEY_FILE", "DATABASE_URL", "MASTER_KEY"])
          assert.ok(
            error.faults.some((fault) => fault.startsWith(name)),
            name,
          );
        assert.ok(!error.message.includes("hunter2"));
        return true;
      },
    );
  });

  it("are the only thing thrown and never hold a value, whatever the environment", () => {
    // The marker never occurs in the text of a fault, so finding it means that a value was quoted.
    const marked = fc.string({ unit: ANY_CHARACTER, maxLength: 60 }).map((text) => `${text}§7Qz§`);
    const plausible = fc.constantFrom("", "8443", "proxy", "postgres://u:p@h/d", "https://a.example", "10.0.0.0/8");
    const name = fc.oneof(
      fc.constantFrom(...SETTINGS.map((row) => row.name)),
      fc.constantFrom("__proto__", "toString", "constructor"),
    );
    const environment = fc.dictionary(
      name,
      fc.oneof(
        marked,
        marked.map((text) => `postgres://u:${text}@h/d`),
        plausible,
      ),
    );
    fc.assert(
      fc.property(environment, (env) => {
        try {
          assert.ok(Object.isFrozen(loadSettings(env)));
        } catch (error) {
          assert.ok(error instanceof SettingsError, String(error));
          assert.ok(error.faults.length > 0);
          assert.ok(!`${error.message}${error.stack}${inspect(error)}`.includes("§7Qz§"));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("the settings of hooks", () => {
  const NAME = "AUTH_HOOK_CUSTOM_ACCESS_TOKEN";
  const uri = (value: string) => ({ [`${NAME}_URI`]: value });
  const secret = { [`${NAME}_SECRET`]: `v1,whsec_${Buffer.alloc(32).toString("base64")}` };

  it("accept a function, an https address, and a plain one of this machine", () => {
    assert.deepEqual(faultsOf(uri("pg-functions://postgres/app/claims")), []);
    assert.deepEqual(faultsOf({ ...uri("https://hooks.example.com/claims?a=b"), ...secret }), []);
    assert.deepEqual(faultsOf({ ...uri("http://127.0.0.1:8700/claims"), ...secret }), []);
  });

  for (const value of [
    "http://hooks.example.com/",
    "https://user:secret@hooks.example.com/",
    "https://hooks.example.com/#x",
    "ftp://hooks.example.com/",
    "pg-functions://postgres/claims",
    "pg-functions://postgres/app/claims/more",
    "pg-functions://postgres/app/claims; drop table x",
    "pg-functions://other/app/claims",
  ])
    it(`reject the address ${value}`, () => {
      const [fault, ...others] = faultsOf({ ...uri(value), ...secret });
      assert.match(fault ?? "", /_URI must be pg-functions:/);
      assert.deepEqual(others, []);
    });

  it("require a secret for an address", () => {
    assert.match(
      faultsOf(uri("https://hooks.example.com/")).join(),
      /^AUTH_HOOK_CUSTOM_ACCESS_TOKEN_SECRET is required/,
    );
  });

  it("accept several secrets of 24 to 64 bytes, and no others", () => {
    const secretsOf = (...sizes: readonly number[]) =>
      sizes.map((size) => `v1,whsec_${Buffer.alloc(size, 1).toString("base64")}`).join("|");
    const faults = (text: string) => faultsOf({ [`${NAME}_SECRET`]: text });
    assert.deepEqual(faults(secretsOf(24, 32, 64)), []);
    for (const text of [secretsOf(23), secretsOf(32, 8), secretsOf(80), "whsec_abc", `${secretsOf(32)}|`])
      assert.match(faults(text).join(), /_SECRET must be one or more secrets/, text);
  });

  it("let mails fall back to a mail server only where there is one", () => {
    const env = {
      AUTH_HOOK_SEND_EMAIL_URI: "pg-functions://postgres/app/mails",
      AUTH_HOOK_SEND_EMAIL_ON_FAILURE: "continue",
    };
    assert.match(faultsOf(env).join(), /SMTP_URL, which is missing/);
    assert.deepEqual(faultsOf({ ...env, SMTP_URL: "smtp://localhost" }), []);
  });
});
