import { readdirSync, readFileSync } from "node:fs";

const NS_PER_MS = 1_000_000;

/** What threads have used since they began. */
export interface ThreadTimes {
  readonly cpuMs: number;
  /** How often they were given a processor. */
  readonly timeslices: number;
}

/** Of all threads of the processes, by thread, because those that end meanwhile are gone. Linux only. */
export function readThreadTimes(pids: readonly number[]): ReadonlyMap<string, ThreadTimes> {
  const threads = new Map<string, ThreadTimes>();
  for (const pid of pids)
    for (const thread of listThreads(pid)) {
      const times = readThread(pid, thread);
      if (times !== null) threads.set(`${pid}/${thread}`, times);
    }
  return threads;
}

/** What was used between two readings. */
export function sumUsed(
  before: ReadonlyMap<string, ThreadTimes>,
  after: ReadonlyMap<string, ThreadTimes>,
): ThreadTimes {
  let [cpuMs, timeslices] = [0, 0];
  for (const [thread, times] of after) {
    const earlier = before.get(thread);
    cpuMs += times.cpuMs - (earlier?.cpuMs ?? 0);
    timeslices += times.timeslices - (earlier?.timeslices ?? 0);
  }
  return { cpuMs, timeslices };
}

function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readThread(pid: number, thread: string): ThreadTimes | null {
  try {
    const [cpuNs, , timeslices] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ").map(Number);
    return { cpuMs: (cpuNs ?? 0) / NS_PER_MS, timeslices: timeslices ?? 0 };
  } catch {
    return null;
  }
}
