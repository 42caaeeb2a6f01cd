import { readCpuMicroseconds } from "../rest/process-usage.ts";
import type { Stage } from "./stage.ts";
import type { DeliveryCpu } from "./tabulate.ts";

/** CPU in microseconds so far: of this process, which sends, of PostgreSQL, and of the receiver. */
export function openUsage({ receiverPid, postmasterPid }: Stage): () => DeliveryCpu {
  /** What processes of PostgreSQL used before they ended counts too. */
  const known = new Map<number, number>();
  const sumOf = (used: Iterable<number>): number => [...used].reduce((sum, microseconds) => sum + microseconds, 0);
  return () => {
    const { user, system } = process.cpuUsage();
    for (const [pid, microseconds] of readCpuMicroseconds([], postmasterPid)) known.set(pid, microseconds);
    return {
      sender: user + system,
      database: sumOf(known.values()),
      receiver: sumOf(readCpuMicroseconds([receiverPid], null).values()),
    };
  };
}
