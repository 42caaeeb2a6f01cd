import { Socket } from "node:net";
import { RpcPeer, type Methods } from "./rpc-peer.ts";

/** The argument with which the program runs as a worker process. */
export const WORKER_PROCESS_ARGUMENT = "--worker-process";
/** The descriptor of the pipe to the primary. */
export const LINK_FD = 4;

/** Whether this process was started by a primary, as its worker process. */
export function isWorkerProcess(args: readonly string[]): boolean {
  return args[0] === WORKER_PROCESS_ARGUMENT && process.send !== undefined;
}

/** The connection of a worker process to the primary that started it. */
export function openParentPeer<Remote extends Methods>(methods: Methods): RpcPeer<Remote> {
  return new RpcPeer<Remote>(new Socket({ fd: LINK_FD, readable: true, writable: true }), methods);
}
