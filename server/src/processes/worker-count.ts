/** Below this number of cores one process and the database use them all. */
const MIN_CORES = 3;

export interface Machine {
  readonly cores: number;
  readonly platform: NodeJS.Platform;
}

/** Whether the service consists of a primary and workers. `wanted` is the setting; 0 leaves the choice to the service. */
export function mayHaveWorkers(wanted: number, { cores, platform }: Machine): boolean {
  return wanted > 1 || (wanted === 0 && cores >= MIN_CORES && platform !== "win32");
}

/** One for each core, and as many as find connections on the server; null: a pooler shares them. */
export function decideWorkerCount(
  wanted: number,
  { cores }: Pick<Machine, "cores">,
  connections: { readonly ofServer: number; readonly ofWorker: number } | null,
): number {
  if (wanted > 0) return wanted;
  const supplied = connections === null ? cores : Math.floor(connections.ofServer / connections.ofWorker);
  return Math.max(1, Math.min(cores, supplied));
}
