import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";

/*
 * The examples of the guide, checked by the compiler and run. Fastify is the real one; Express, Next.js and Deno are not
 * installed here, so that stand-ins with the same surface, as far as the examples use it, take their place.
 */

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");
const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const BODY = '{"id":"evt_1","type":"agent.created","created_at":"c","api_version":"2026-11-15","data":{"name" : "é"}}';

const STAND_IN_TYPES = `
declare module "express" {
  import type { IncomingHttpHeaders } from "node:http";
  interface Request { readonly body: any; readonly headers: IncomingHttpHeaders }
  interface Response { sendStatus(code: number): this; status(code: number): this; send(body?: unknown): this }
  type Handler = (request: Request, response: Response, next: () => void) => unknown;
  interface Express { post(path: string, ...handlers: Handler[]): this; listen(port: number): unknown }
  function express(): Express;
  namespace express { function raw(options: { type: string }): Handler }
  export default express;
}
declare const Deno: {
  serve(options: { port: number }, handler: (request: Request) => Response | Promise<Response>): unknown;
  readonly env: { get(name: string): string | undefined };
};
`;

/** Serves a function from Request to Response, as Next.js and Deno do. */
const SERVE_FETCH = `
import { createServer } from "node:http";
export function serveFetch(port, handle) {
  createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const init = { method: request.method, headers: request.headers, body: Buffer.concat(chunks) };
    const answer = await handle(new Request("http://localhost" + request.url, init));
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  }).listen(port);
}
`;

const STAND_IN_EXPRESS = `
import { createServer } from "node:http";
export default function express() {
  const routes = new Map();
  return {
    post(path, ...handlers) { routes.set(path, handlers); return this; },
    listen(port) {
      createServer(async (request, response) => {
        response.status = (code) => Object.assign(response, { statusCode: code });
        response.send = (body) => response.end(body);
        response.sendStatus = (code) => response.status(code).end();
        for (const handle of routes.get(request.url) ?? []) await handle(request, response, () => {});
      }).listen(port);
    },
  };
}
express.raw = () => async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  request.body = Buffer.concat(chunks);
};
`;

interface Example {
  readonly name: string;
  /** The program that starts it, if the example does not; `PORT` is the port. */
  readonly starter?: string;
}

const EXAMPLES: readonly Example[] = [
  { name: "Express" },
  { name: "Fastify" },
  {
    name: "Next.js",
    starter: `import { serveFetch } from "./serve-fetch.mjs"; import { POST } from "./Next.js.ts"; serveFetch(PORT, POST);`,
  },
  {
    name: "Deno",
    starter: `import { serveFetch } from "./serve-fetch.mjs";
      globalThis.Deno = { serve: ({ port }, handle) => serveFetch(port, handle), env: { get: (name) => process.env[name] } };
      await import("./Deno.ts");`,
  },
];

let folder: string;
const children: ChildProcess[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "swarmbase-examples-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "stand-ins.d.ts"), STAND_IN_TYPES);
  await writeFile(join(folder, "serve-fetch.mjs"), SERVE_FETCH);
  await writeFile(join(folder, "express.mjs"), STAND_IN_EXPRESS);
  const guide = await readFile(join(root, "docs/guides/webhooks.md"), "utf8");
  for (const { name } of EXAMPLES) await writeFile(join(folder, `${name}.ts`), findExample(guide, name));
});
after(async () => {
  for (const child of children) child.kill();
  await rm(folder, { recursive: true });
});

function findExample(guide: string, name: string): string {
  const section = guide.split(/^##+ /m).find((text) => text.startsWith(`${name}\n`));
  const code = /^```ts\n(.*?)^```$/ms.exec(section ?? "")?.[1];
  assert.ok(code !== undefined, `the guide has no example for ${name}`);
  return code;
}

test("the examples compile without errors", async () => {
  const { compilerOptions } = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8")) as {
    compilerOptions: object;
  };
  const lib = ["es2024", "dom", "dom.iterable"];
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, lib }, include: ["*.ts"] }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const found = await run(process.execPath, [compiler, "-p", folder]).then(
    () => "",
    (error: unknown) => (error as { stdout: string }).stdout,
  );
  assert.equal(found, "");
});

for (const { name, starter } of EXAMPLES) {
  test(`the example for ${name} accepts a valid delivery and rejects others with the reason`, async () => {
    const port = await startExample(name, starter);
    assert.deepEqual(await deliver(port), { status: 204, text: "" });
    assert.deepEqual(await deliver(port, { body: BODY.replace(" ", "") }), { status: 400, text: "signature_mismatch" });
    const old = { timestamp: Math.floor(Date.now() / 1000) - 1_000 };
    assert.deepEqual(await deliver(port, old), { status: 400, text: "timestamp_out_of_tolerance" });
  });
}

async function startExample(name: string, starter: string | undefined): Promise<number> {
  const port = await findFreePort();
  const example = await readFile(join(folder, `${name}.ts`), "utf8");
  const code = example.replace("3000", String(port)).replace('from "express"', 'from "./express.mjs"');
  await writeFile(join(folder, `${name}.ts`), code);
  const main = starter === undefined ? `${name}.ts` : `start-${name}.mjs`;
  if (starter !== undefined) await writeFile(join(folder, main), starter.replace("PORT", String(port)));
  const child = spawn(process.execPath, ["-C", "swarmbase-source", join(folder, main)], {
    env: { PATH: process.env["PATH"], WEBHOOK_SECRET: SECRET },
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.push(child);
  const deadline = Date.now() + WAIT_MS;
  while (!(await isListening(port))) {
    assert.ok(child.exitCode === null && Date.now() < deadline, `${name} does not listen`);
    await wait(20);
  }
  return port;
}

interface Delivery {
  /** Sent instead of the signed body. */
  readonly body?: string;
  readonly timestamp?: number;
}

async function deliver(port: number, { body = BODY, timestamp = Math.floor(Date.now() / 1000) }: Delivery = {}) {
  const signature = createHmac("sha256", SECRET).update(`${timestamp}.${BODY}`).digest("hex");
  const response = await fetch(`http://localhost:${port}/hook`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-service-timestamp": String(timestamp),
      "x-service-signature": `sha256=${signature}`,
    },
    body,
  });
  return { status: response.status, text: await response.text() };
}

async function isListening(port: number): Promise<boolean> {
  const socket = net.connect({ port, host: "localhost" });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
