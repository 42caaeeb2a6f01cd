import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { findFreePort, isListening, spawnServer } from "../child.ts";
import type { HttpServer } from "../contender.ts";
import { fillTables } from "../fill-database.ts";
import type { Population } from "../population.ts";
import { signSecretTokens } from "../secret-token.ts";
import { type Stage, withClient } from "../stage.ts";
import { buildTableRequest, readTableAgents } from "../table-requests.ts";

const PEERS = resolve(import.meta.dirname, "../peers");

/** The same columns, keys, indexes and owners; without our checks, triggers and events, which saves it work. */
const SCHEMA = `
  create schema auth;
  create function auth.uid() returns uuid language sql stable
    as $$ select nullif(current_setting('request.jwt.claim.sub', true), '')::uuid $$;
  create table public.agents (
    id uuid primary key default gen_random_uuid(), user_id uuid not null default auth.uid(), name text not null, role text,
    avatar text, framework text not null default 'provider_a', model text, system_prompt text,
    settings jsonb not null default '{}', status text not null default 'idle',
    status_changed_at timestamptz not null default now(), created_at timestamptz not null default now(),
    updated_at timestamptz not null default now());
  create index on public.agents (user_id, created_at desc);
  create table public.tools (
    id uuid primary key default gen_random_uuid(), owner_id uuid default auth.uid(), name text not null,
    description text not null, category text, icon text, input_schema jsonb not null default '{}',
    kind text not null default 'http', config jsonb not null default '{}', visibility text not null default 'private',
    requires_approval boolean not null default false, timeout_ms integer not null default 30000,
    max_output_chars integer not null default 16000, enabled boolean not null default true,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now());
  create index on public.tools (owner_id);
  create table public.agent_tools (
    id uuid primary key default gen_random_uuid(), agent_id uuid not null references public.agents,
    tool_id uuid not null references public.tools, user_id uuid not null, enabled boolean not null default true,
    configuration jsonb not null default '{}', created_at timestamptz not null default now());
  create index on public.agent_tools (agent_id);
  alter table public.agents enable row level security;
  alter table public.tools enable row level security;
  alter table public.agent_tools enable row level security;
  create policy own on public.agents to authenticated
    using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
  create policy own on public.tools to authenticated using (owner_id = (select auth.uid()));
  create policy own on public.agent_tools to authenticated using (user_id = (select auth.uid()));
  grant usage on schema public, auth to authenticated;
  grant all on public.agents, public.tools, public.agent_tools to authenticated`;

/** Its own user tables, which it creates at start and queries with every request. */
const renderUsers = ({ users }: Population): string => `
  insert into auth.users (id, email, aud, role)
    select md5('user ' || n)::uuid, 'user-' || n || '@example.com', 'authenticated', 'authenticated'
    from generate_series(1, ${users}) n;
  insert into auth.sessions (id, user_id) select md5('session ' || n)::uuid, md5('user ' || n)::uuid
    from generate_series(1, ${users}) n;
  analyze`;

export async function startSupabaseLite(stage: Stage, database: string, population: Population): Promise<HttpServer> {
  await stage.createEmpty(database);
  await withClient(stage.urlOf(database), async (client) => {
    await client.query(SCHEMA);
    await fillTables(client, population);
  });
  const port = await findFreePort();
  const secret = randomBytes(32).toString("base64url");
  const server = await spawnServer({
    program: process.execPath,
    args: ["lite-server.js"],
    cwd: PEERS,
    env: {
      NODE_ENV: "production",
      LITE_TELEMETRY: "0",
      DO_NOT_TRACK: "1",
      PORT: String(port),
      DATABASE_URL: stage.urlOf(database),
      JWT_SECRET: secret,
      TLS_CERT: stage.cert,
      TLS_KEY: stage.key,
    },
    isUp: () => isListening(port),
  });
  await withClient(stage.urlOf(database), (client) => client.query(renderUsers(population)));
  const tokens = signSecretTokens(secret, population);
  return {
    name: "@supabase/lite",
    pids: [server.pid],
    database,
    target: { host: "localhost", port, ca: stage.ca },
    request: (operation, target) =>
      buildTableRequest(operation, target, { authorization: `Bearer ${tokens[target.user]}` }),
    readAgents: readTableAgents,
    stop: server.stop,
  };
}
