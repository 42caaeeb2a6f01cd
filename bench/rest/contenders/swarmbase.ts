import { join, resolve } from "node:path";
import { signAccessToken } from "../../../server/src/auth/tokens/access-token.ts";
import { type KeyRing, openKeyRing } from "../../../server/src/auth/tokens/key-ring.ts";
import { openDatabase } from "../../../server/src/db/index.ts";
import { createObserver } from "../../../server/src/observe/index.ts";
import { findFreePort, spawnServer } from "../child.ts";
import { isReady, readAuthority, readCredentials } from "../data-directory.ts";
import type { HttpServer } from "../contender.ts";
import { idOf, type Population } from "../population.ts";
import { AGENT_LIMIT, type Stage } from "../stage.ts";
import { buildTableRequest, readTableAgents } from "../table-requests.ts";

const REPOSITORY = resolve(import.meta.dirname, "../../..");
const TOKEN_LIFE_SECONDS = 3600;
const PROXY_SETTINGS = { TLS_MODE: "proxy", TRUSTED_PROXIES: "127.0.0.1,::1" };
/** What the proxy would say of the client. */
const PROXY_HEADERS = { "x-forwarded-proto": "https", "x-forwarded-for": "127.0.0.1" };

export interface SwarmbaseOptions {
  readonly name: string;
  readonly database: string;
  readonly population: Population;
  /** Without TLS, as behind a proxy. */
  readonly isPlain?: boolean;
  /** Options for Node.js, for profiling. */
  readonly nodeArgs?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startSwarmbase(stage: Stage, options: SwarmbaseOptions): Promise<HttpServer> {
  const { name, database, population, isPlain = false, nodeArgs = [], settings = {} } = options;
  const dataDir = join(stage.folder, database);
  const server = await spawnServer({
    program: process.execPath,
    args: [...nodeArgs, "-C", "swarmbase-source", "server/bin/swarmbase.js", "serve"],
    cwd: REPOSITORY,
    env: {
      NODE_ENV: "production",
      WORKERS: "1",
      LOG_LEVEL: "warn",
      PORT: String(await findFreePort()),
      DATA_DIR: dataDir,
      DATABASE_URL: stage.urlOf(database),
      MASTER_KEY: stage.masterKey,
      AGENT_LIMIT_PER_USER: String(AGENT_LIMIT),
      // Without limits, because the benchmark measures the machine's capacity.
      LIMIT_API: "0",
      ...(isPlain && PROXY_SETTINGS),
      ...settings,
    },
    isUp: () => isReady(dataDir),
  });
  const credentials = await readCredentials(dataDir);
  const { url, anon_key: apikey } = credentials;
  const { hostname, port } = new URL(url);
  const tokens = await signTokens(stage, database, population);
  return {
    name,
    pids: [server.pid],
    database,
    target: { host: hostname, port: Number(port), ca: await readAuthority(credentials), isPlain },
    request: (operation, { user, agent }) =>
      buildTableRequest(
        operation,
        { user, agent },
        { apikey, authorization: `Bearer ${tokens[user]}`, ...(isPlain && PROXY_HEADERS) },
      ),
    readAgents: readTableAgents,
    stop: server.stop,
  };
}

/**
 * Tokens signed with the service's own key for sessions that exist as rows: equivalent to tokens of a sign-in, and
 * faster to create.
 */
async function signTokens(stage: Stage, database: string, { users }: Population): Promise<readonly string[]> {
  const observer = createObserver({ level: "fatal", format: "json" });
  const opened = openDatabase({ url: stage.urlOf(database), masterKey: stage.masterKey, poolSize: 1, observer });
  try {
    const ring = await openKeyRing({
      pool: opened.service,
      masterKey: stage.masterKey,
      clock: { now: () => new Date() },
      observer,
      anonKeyOverride: null,
      serviceRoleKeyOverride: null,
    });
    return await Promise.all(Array.from({ length: users + 1 }, (_, user) => signToken(ring, user)));
  } finally {
    await opened.close();
  }
}

async function signToken(ring: KeyRing, user: number): Promise<string> {
  return signAccessToken(ring, buildClaims(user));
}

export function buildClaims(user: number): Parameters<typeof signAccessToken>[1] {
  const iat = Math.floor(Date.now() / 1000);
  const sub = idOf("user", user);
  const email = `user-${user}@example.com`;
  return {
    iss: "https://localhost/auth/v1",
    sub,
    aud: "authenticated",
    exp: iat + TOKEN_LIFE_SECONDS,
    iat,
    email,
    phone: "",
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: { sub, email, email_verified: true, phone_verified: false },
    role: "authenticated",
    aal: "aal1",
    amr: [{ method: "password", timestamp: iat }],
    session_id: idOf("session", user),
    is_anonymous: false,
  };
}
