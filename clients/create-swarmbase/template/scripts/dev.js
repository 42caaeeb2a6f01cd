// Starts the service, applies the migrations, publishes the agent, and starts the app's own server and Vite. Ctrl-C stops all of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { get } from "node:https";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

if (existsSync(".env")) process.loadEnvFile(); // Keys of model providers and other settings of the service.
// Another app, or the service itself, may be running on this machine.
const port = process.env.PORT ?? (await findFreePort(8443));
const serverUrl = `https://localhost:${process.env.SERVER_PORT ?? (await findFreePort(8787))}`;
const running = new Set();
let isStopping = false;

// A terminal sends Ctrl-C to all of the processes by itself.
process.on("SIGINT", () => (isStopping = true));
process.on("SIGTERM", () => stop(0));
// The shell of npm does not pass signals on.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && stop(0), 500).unref();

// Simulated replies come at the pace of a model, so that one can watch them.
start("swarmbase", [], { LOG_LEVEL: "warn", SIMULATED_TOKENS_PER_SECOND: "20", ...process.env, PORT: port });
const service = await waitForService();
const published = {
  SERVER_URL: serverUrl,
  // The agent belongs to an account of the app, to which nobody signs in.
  SWARMBASE_OWNER: process.env.SWARMBASE_OWNER ?? "app@example.com",
};
if (
  service !== null &&
  (await finish("swarmbase", ["db", "push"], {})) &&
  (await finish("swarmbase", ["apply", "--yes"], published))
) {
  // Both connect to the service, whose certificate only this machine knows.
  const shared = { NODE_EXTRA_CA_CERTS: service.ca_cert_file, SWARMBASE_URL: service.url };
  start("node", ["server/main.js"], {
    ...shared,
    SERVER_URL: serverUrl,
    SWARMBASE_SERVICE_ROLE_KEY: service.service_role_key,
  });
  start("vite", process.argv.slice(2), { ...shared, VITE_SWARMBASE_ANON_KEY: service.anon_key });
}

function start(program, args, variables, endsAlone = false) {
  const env = { ...process.env, ...variables };
  const child = spawn(program, args, { stdio: "inherit", env, shell: process.platform === "win32" });
  running.add(child);
  child.on("error", (error) => console.error(`${program} does not start: ${error.message}`));
  child.on("close", (code) => {
    running.delete(child);
    if (code !== 0 || !endsAlone) stop(code ?? 1);
  });
  return child;
}

/** Whether a program that ends on its own has succeeded, and the others still run. */
async function finish(program, args, variables) {
  const [code] = await once(start(program, args, variables, true), "close");
  return code === 0 && !isStopping;
}

/** This port, or the first one after it that nothing listens at. */
async function findFreePort(port) {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    return error.code === "EADDRINUSE" ? findFreePort(port + 1) : port;
  }
  server.close();
  return port;
}

/** When one of the processes ends, the others end too. */
function stop(code) {
  if (isStopping) return;
  isStopping = true;
  process.exitCode = code;
  for (const child of running) child.kill();
}

/** The address and the keys of the service, when it is ready. */
async function waitForService() {
  for (; !isStopping; await wait(200)) {
    const credentials = readCredentials();
    if (credentials !== null && (await isReady(credentials))) return credentials;
  }
  return null;
}

function readCredentials() {
  try {
    return JSON.parse(readFileSync(`${process.env.DATA_DIR ?? ".swarmbase"}/credentials.json`, "utf8"));
  } catch {
    return null; // This is the first start.
  }
}

function isReady({ url, ca_cert_file }) {
  return new Promise((resolve) => {
    const request = get(`${url}/ready`, { ca: readFileSync(ca_cert_file), timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}
