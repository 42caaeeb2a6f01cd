// In charge of: the worker processes of one service: starting, watching, replacing and ending them, and messages with them;
// commands in the background; listening on an address.
// Not in charge of: what the processes do (wiring, commands/run-worker-process.ts), or which connections they get (http).

export { type BackgroundResult, isBackgroundCommand, runInBackground } from "./background-command.ts";
export { assertCanListen, listenOn } from "./listen-on.ts";
export { RpcPeer, type Methods } from "./rpc-peer.ts";
export { decideProcessCount, mayHaveWorkerProcesses } from "./process-count.ts";
export { isWorkerProcess, openParentPeer } from "./parent-peer.ts";
export { type SupervisedProcesses, superviseProcesses } from "./supervise-processes.ts";
export { type ForkOptions, forkWorkerProcess, type WorkerProcess } from "./worker-process.ts";
