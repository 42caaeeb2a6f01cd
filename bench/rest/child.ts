import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const STOP_TIMEOUT_MS = 10_000;
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 30;

const living = new Set<ChildProcess>();
// However this process ends, its child processes end too.
process.once("exit", () => {
  for (const child of living) child.kill();
});

function keepTrack(child: ChildProcess): void {
  living.add(child);
  child.once("exit", () => living.delete(child));
}

/** A child process that answers requests one at a time. */
export interface Asked<Question, Answer> {
  readonly pid: number;
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

export function forkAsked<Question, Answer>(file: string): Asked<Question, Answer> {
  const child = fork(file, [], {
    execArgv: ["-C", "swarmbase-source"],
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  keepTrack(child);
  return {
    pid: child.pid ?? 0,
    ask: async (question) => {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const onExit = (code: number | null): void => reject(new Error(`${file} ended with ${code}`));
      child.once("exit", onExit);
      child.once("message", (message) => {
        child.off("exit", onExit);
        const { answer, error } = message as { answer: Answer; error?: string };
        if (error === undefined) resolve(answer);
        else reject(new Error(error));
      });
      child.send(question as object, (error) => {
        if (error !== null) reject(error);
      });
      return promise;
    },
    stop: () => endChild(child),
  };
}

/** The child's side: answers requests of the parent until the parent exits. */
export function answerParent<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  process.on("message", (question: Question) => {
    answer(question).then(
      (given) => process.send?.({ answer: given }),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on("disconnect", () => process.exit(0));
}

export interface ServerOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  isUp(): Promise<boolean>;
}

export interface SpawnedServer {
  readonly pid: number;
  stop(): Promise<void>;
}

/** A separate server process, from its start until it responds. Its output is shown only when it does not start. */
export async function spawnServer({ program, args, cwd, env, isUp }: ServerOptions): Promise<SpawnedServer> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  keepTrack(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000);
    });
  }
  const stop = (): Promise<void> => endChild(child);
  try {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await isUp().catch(() => false))) {
      if (child.exitCode !== null) throw new Error(`${program} ended at its start:\n${output}`);
      if (performance.now() > deadline) throw new Error(`${program} was not up in time:\n${output}`);
      await sleep(POLL_MS);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, stop };
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

export async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export async function isListening(port: number): Promise<boolean> {
  const socket = net.connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}
