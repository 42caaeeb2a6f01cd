import http from "node:http";
import https from "node:https";
import { selectLiveUser } from "../../server/src/auth/sql/liveness.ts";
import { renderUser } from "../../server/src/auth/users/render-user.ts";
import { openDatabase, runPipelined } from "../../server/src/db/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";
import { openPlanner, type PlannedTransaction } from "./direct-transactions.ts";
import { OPERATIONS } from "./operations.ts";
import { idOf } from "./population.ts";

/** The default of the setting DB_POOL_SIZE, which the service uses too. */
const POOL_SIZE = 10;

const { PORT = "", DATABASE_URL = "", MASTER_KEY = "", TLS_CERT = "", TLS_KEY = "" } = process.env;
const observer = createObserver({ level: "fatal", format: "json" });
const database = openDatabase({ url: DATABASE_URL, masterKey: MASTER_KEY, poolSize: POOL_SIZE, observer });
const plan = await openPlanner(database);
/** Planned transactions by request path, created on first use. */
const known = new Map<string, PlannedTransaction>();
const sample = await runTransaction(plan("read one", { user: 1, agent: 1 }));

function find(url: string): PlannedTransaction {
  const found = known.get(url);
  if (found !== undefined) return found;
  const [, name, user, agent] = url.split("/");
  const operation = OPERATIONS.find((one) => one.replaceAll(" ", "-") === name);
  if (operation === undefined) throw new Error(`nothing is planned for ${url}`);
  const transaction = plan(operation, { user: Number(user), agent: Number(agent) });
  known.set(url, transaction);
  return transaction;
}

async function runTransaction({ scope, statement }: PlannedTransaction): Promise<string> {
  const [result] = await runPipelined(database.user, { scope, statements: [statement] });
  // A write has a row of its own for its counts, which contains no record.
  return `[${result?.rows.flatMap(([record]) => record ?? []).join(",") ?? ""}]`;
}

/** The floors: what a request costs before it has a purpose. */
async function findBody(url: string): Promise<string> {
  if (url === "/one-statement") {
    await database.service.query({ name: "floor", text: "select 1" });
    return sample;
  }
  if (url.startsWith("/user/")) {
    const number = Number(url.slice("/user/".length));
    const [userId, sessionId] = [idOf("user", number), idOf("session", number)];
    const found = await selectLiveUser(database.service, { userId, sessionId, now: new Date(), inactivitySeconds: 0 });
    if (found?.user === undefined) throw new Error("the user does not exist");
    return JSON.stringify(renderUser(found.user));
  }
  return runTransaction(find(url));
}

function answer(response: http.ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function listen(request: http.IncomingMessage, response: http.ServerResponse): void {
  // The body is read and ignored, because the planned transaction contains its values.
  request.resume();
  const { url = "" } = request;
  if (url === "/no-statement") {
    answer(response, sample);
    return;
  }
  findBody(url).then(
    (body) => answer(response, body),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}

const server =
  TLS_CERT === "" ? http.createServer(listen) : https.createServer({ cert: TLS_CERT, key: TLS_KEY }, listen);
server.listen(Number(PORT), "127.0.0.1");
