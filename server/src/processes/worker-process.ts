import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { RpcPeer, type Methods } from "./rpc-peer.ts";
import { LINK_FD, WORKER_PROCESS_ARGUMENT } from "./parent-peer.ts";

export interface WorkerProcess<Remote extends Methods> {
  /** 1 for the first worker process; a replacement gets the number of the process that it replaces. */
  readonly id: number;
  readonly pid: number | undefined;
  readonly child: ChildProcess;
  readonly peer: RpcPeer<Remote>;
  /** Never rejects. */
  readonly exited: Promise<ProcessExit>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ForkOptions {
  /** The file of the program. */
  readonly program: string;
  readonly id: number;
  readonly env: NodeJS.ProcessEnv;
  /** What the worker process may call. */
  readonly methods: Methods;
}

/** Starts the program again as a worker process. Its output is that of this process. */
export function forkWorkerProcess<Remote extends Methods>({
  program,
  id,
  env,
  methods,
}: ForkOptions): WorkerProcess<Remote> {
  const child = spawn(process.execPath, [...process.execArgv, program, WORKER_PROCESS_ARGUMENT], {
    env,
    stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
  });
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", () => resolve({ code: null, signal: null }));
  });
  // A connection that cannot be passed to a process that ends is passed to another one.
  child.on("error", () => {});
  // The stream of a pipe is a socket, whatever its type says.
  const peer = new RpcPeer<Remote>(child.stdio[LINK_FD] as unknown as Duplex, methods);
  return { id, pid: child.pid, child, peer, exited };
}
