import { statfsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import type { MachineSize } from "./size-memory.ts";

export function measureMachine(): MachineSize {
  const total = totalmem();
  // 0 when unknown, a huge number when unlimited.
  const constrained = process.constrainedMemory();
  return {
    memoryBytes: constrained > 0 && constrained < total ? constrained : total,
    cpus: availableParallelism(),
    sharedMemoryFsBytes: process.platform === "linux" ? sizeOfSharedMemoryFs() : Number.MAX_SAFE_INTEGER,
  };
}

function sizeOfSharedMemoryFs(): number | null {
  try {
    const found = statfsSync("/dev/shm");
    return found.bsize * found.blocks;
  } catch {
    return null;
  }
}
