// Serves @supabase/lite from PostgreSQL over TLS, as its documentation embeds it in Node.js.
import https from "node:https";
import { serve } from "@hono/node-server";
import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";

const { PORT, DATABASE_URL, JWT_SECRET, TLS_CERT, TLS_KEY } = process.env;
// Its driver takes the folder of a Unix socket as a host, but not from an address.
const url = new URL(DATABASE_URL);
const host = url.searchParams.get("host");
url.search = "";
const postgresOptions = { max: 10, ...(host !== null && { host, port: Number(url.port) }) };
const connection = createPostgresConnection({ url: url.href, postgresOptions });
const app = new App({
  connection,
  auth: { enabled: true, jwt_secret: JWT_SECRET },
  options: { server: { apiKeys: false, admin: false } },
});

await app.ensureSystemSchema();
serve({
  fetch: (request, { incoming }) => app.fetch(request, { peerAddress: incoming.socket.remoteAddress ?? null }),
  port: Number(PORT),
  hostname: "127.0.0.1",
  createServer: https.createServer,
  serverOptions: { cert: TLS_CERT, key: TLS_KEY },
});
