import { extname } from "node:path";
import { Worker } from "node:worker_threads";

interface HashCosts {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

export type HashTask =
  | { readonly kind: "hash"; readonly password: string | Uint8Array; readonly costs: HashCosts }
  | { readonly kind: "verify"; readonly hash: string; readonly password: string };

export type HashAnswer = { readonly value: string | boolean } | { readonly error: string };

// Resolved like an import: the program runs from TypeScript and from JavaScript.
const THREAD = new URL(`./hash-thread${extname(import.meta.filename)}`, import.meta.url);

const idle: Worker[] = [];

/**
 * Computes a password hash on a thread of low priority. On the threads of libuv, which have the priority of the service,
 * a burst of sign-ins delays every other request; at low priority it takes only the time that is left. The caller bounds
 * how many run at a time.
 */
export async function runHashTask(task: Extract<HashTask, { kind: "hash" }>): Promise<string>;
export async function runHashTask(task: Extract<HashTask, { kind: "verify" }>): Promise<boolean>;
export async function runHashTask(task: HashTask): Promise<string | boolean> {
  const thread = idle.pop() ?? new Worker(THREAD);
  const { promise, resolve, reject } = Promise.withResolvers<HashAnswer>();
  thread.once("message", resolve).once("error", reject);
  thread.ref();
  thread.postMessage(task);
  const answer = await promise;
  thread.off("error", reject);
  // An idle thread must not keep the process alive.
  thread.unref();
  idle.push(thread);
  if ("error" in answer) throw new Error(answer.error);
  return answer.value;
}
