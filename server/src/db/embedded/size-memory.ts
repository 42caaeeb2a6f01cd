import { statfsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

interface MachineSize {
  /** The memory of the machine, or the limit of the container. */
  readonly memoryBytes: number;
  /** Those that the limit of the container permits. */
  readonly cpus: number;
  /** Size of /dev/shm; null when there is none. */
  readonly sharedMemoryFsBytes: number | null;
}

export interface MemorySizes {
  readonly sharedBuffersMb: number;
  readonly effectiveCacheMb: number;
  readonly workMemMb: number;
  readonly maintenanceWorkMemMb: number;
  readonly maxConnections: number;
  readonly parallelWorkers: number;
  readonly usesMappedFiles: boolean;
}

const MB = 1024 * 1024;
const SMALL_SHARED_MEMORY_FS_MB = 256;

/** PostgreSQL shares the machine with the service, so it gets less than the usual quarter of the memory. */
export function sizeMemory(machine: MachineSize, neededConnections = 0): MemorySizes {
  const memoryMb = machine.memoryBytes / MB;
  const usualConnections = memoryMb < 1024 ? 60 : clamp(machine.cpus * 25, 100, 400);
  const maxConnections = Math.max(usualConnections, neededConnections);
  return {
    sharedBuffersMb: clamp(memoryMb / 6, 32, 8192),
    effectiveCacheMb: clamp(memoryMb / 2, 64, 262_144),
    workMemMb: clamp(memoryMb / (maxConnections * 4), 4, 64),
    maintenanceWorkMemMb: clamp(memoryMb / 24, 32, 1024),
    maxConnections,
    parallelWorkers: clamp(machine.cpus, 1, 16),
    // Containers often have a /dev/shm that is too small for parallel queries, which then fail.
    usesMappedFiles:
      machine.sharedMemoryFsBytes === null || machine.sharedMemoryFsBytes < SMALL_SHARED_MEMORY_FS_MB * MB,
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.floor(Math.min(max, Math.max(min, value)));
}

export function measureMachine(): MachineSize {
  const total = totalmem();
  // 0 when unknown, a huge number when unlimited.
  const constrained = process.constrainedMemory();
  return {
    memoryBytes: constrained > 0 && constrained < total ? constrained : total,
    cpus: availableParallelism(),
    sharedMemoryFsBytes: process.platform === "linux" ? measureSharedMemoryFs() : Number.MAX_SAFE_INTEGER,
  };
}

function measureSharedMemoryFs(): number | null {
  try {
    const { bsize, blocks } = statfsSync("/dev/shm");
    return bsize * blocks;
  } catch {
    return null;
  }
}
