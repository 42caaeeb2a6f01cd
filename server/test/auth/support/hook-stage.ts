import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createAddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
import { type AuthHooks, openHooks } from "../../../src/auth/hooks/open-hooks.ts";
import { type Environment, loadSettings } from "../../../src/config/index.ts";
import { openHookPool } from "../../../src/db/index.ts";
import type { Observer } from "../../../src/observe/index.ts";
import type { Cleanup } from "../../support/database.ts";
import type { TestAuthContext } from "./auth-context.ts";

export const SECRET = `v1,whsec_${Buffer.alloc(32, 7).toString("base64")}`;
export const KINDS = ["sql", "http"] as const;
export type Kind = (typeof KINDS)[number];

export type HookEvent = Readonly<Record<string, ReturnType<typeof JSON.parse>>>;
type Answerer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface HookStage {
  /** The hooks that the settings name. */
  open(env: Environment, observer?: Observer): AuthHooks;
  /** The address of a hook, `AUTH_HOOK_<name>_URI` with its secret. */
  at(kind: Kind, name: string, more?: Environment): Environment;
  /** What hooks of both kinds answer from now on. */
  answer(json: unknown): Promise<void>;
  /** What the HTTP server answers instead, until the next `answer`. */
  answerBy(answerer: Answerer): void;
  /** The events of both kinds since the last time. */
  takeEvents(): Promise<readonly HookEvent[]>;
  /** Requests with headers, as the HTTP server got them. */
  readonly requests: { readonly headers: Record<string, string>; readonly body: string }[];
}

/** A function `app.hook` and a server on loopback, which answer the same. */
export async function openHookStage(t: Cleanup, auth: TestAuthContext): Promise<HookStage> {
  const { owner, adminUrl, masterKey } = auth.database;
  await owner.query(`
    create schema app;
    create table app.answers (answer jsonb);
    create table app.events (id bigint generated always as identity, event jsonb, caller text);
    create function app.hook(event jsonb) returns jsonb language plpgsql as $$
    begin
      insert into app.events (event, caller) values (event, current_user);
      return (select answer from app.answers);
    end $$;
    grant usage on schema app to sb_hook;
    grant select on app.answers to sb_hook;
    grant insert on app.events to sb_hook;
    grant execute on function app.hook(jsonb) to sb_hook;`);
  const requests: HookStage["requests"] = [];
  const events: HookEvent[] = [];
  let answered = "{}";
  let answerer: Answerer | null = null;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ headers: request.headers as Record<string, string>, body });
      events.push(JSON.parse(body) as HookEvent);
      if (answerer !== null) return answerer(request, response, body);
      response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(answered);
    });
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    requests,
    open(env, observer = auth.context.observer) {
      const policy = createAddressPolicy({ allowedCidrs: [] });
      const opened = openHooks({
        settings: loadSettings(env),
        pool: auth.context.pool,
        openPool: () => openHookPool(adminUrl, masterKey),
        openFetch: (exemptUrls) => openGuardedFetch({ policy, ca: [], connectionsPerOrigin: 4, exemptUrls }),
        clock: auth.clock,
        observer,
      });
      t.after(() => opened.close());
      return opened.hooks;
    },
    at: (kind, name, more = {}) => ({
      [`AUTH_HOOK_${name}_URI`]: kind === "sql" ? "pg-functions://postgres/app/hook" : `http://127.0.0.1:${port}/hook`,
      [`AUTH_HOOK_${name}_SECRET`]: SECRET,
      ...more,
    }),
    async answer(json) {
      answered = JSON.stringify(json);
      answerer = null;
      await owner.query("delete from app.answers");
      await owner.query("insert into app.answers values ($1)", [answered]);
    },
    answerBy: (given) => void (answerer = given),
    async takeEvents() {
      const { rows } = await owner.query<{ event: HookEvent }>("select event from app.events order by id");
      await owner.query("delete from app.events");
      return [...rows.map(({ event }) => event), ...events.splice(0)];
    },
  };
}
