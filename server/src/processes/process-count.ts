/** Below this number of cores one process and the database use them all. */
const MIN_CORES = 3;
/** What a busy worker process needs. With less, a machine or container with many cores would run out of memory under load. */
const PROCESS_MEMORY_BYTES = 512 * 1024 * 1024;

interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly platform: NodeJS.Platform;
}

/** Whether the service consists of a primary and worker processes. `wanted` is the setting; 0 leaves the choice to the service. */
export function mayHaveWorkerProcesses(wanted: number, { platform, ...machine }: Machine): boolean {
  if (wanted !== 0) return wanted > 1;
  return machine.cores >= MIN_CORES && platform !== "win32" && decideProcessCount(0, machine, null) > 1;
}

/** One for each core, as far as there is memory and the server has connections for them; null means that a pooler shares connections. */
export function decideProcessCount(
  wanted: number,
  { cores, memoryBytes }: Pick<Machine, "cores" | "memoryBytes">,
  connections: { readonly ofServer: number; readonly ofProcess: number } | null,
): number {
  if (wanted > 0) return wanted;
  const connected = connections === null ? cores : Math.floor(connections.ofServer / connections.ofProcess);
  return Math.max(1, Math.min(cores, connected, Math.floor(memoryBytes / PROCESS_MEMORY_BYTES)));
}
