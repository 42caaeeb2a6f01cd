import https from "node:https";
import { openDatabase, runPipelined } from "../../server/src/db/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";
import { openPlanner, type PlannedTransaction } from "./direct-transactions.ts";
import { OPERATIONS } from "./operations.ts";

/** The default of the setting DB_POOL_SIZE, which the service uses too. */
const POOL_SIZE = 10;

const { PORT = "", DATABASE_URL = "", MASTER_KEY = "", TLS_CERT = "", TLS_KEY = "" } = process.env;
const observer = createObserver({ level: "fatal", format: "json" });
const database = openDatabase({ url: DATABASE_URL, masterKey: MASTER_KEY, poolSize: POOL_SIZE, observer });
const plan = await openPlanner(database);
/** Planned transactions by request path, created on first use. */
const known = new Map<string, PlannedTransaction>();

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

https
  .createServer({ cert: TLS_CERT, key: TLS_KEY }, (request, response) => {
    // The body is read and ignored, because the planned transaction contains its values.
    request.resume();
    const { scope, statement } = find(request.url ?? "");
    runPipelined(database.user, { scope, statements: [statement] }).then(
      ([result]) => {
        const body = result?.rows[0]?.[0] ?? "[]";
        response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
        response.end(body);
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  })
  .listen(Number(PORT), "127.0.0.1");
