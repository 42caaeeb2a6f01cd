import type { Obstacle } from "../../http/index.ts";
import type { NodeDatabase } from "../database/open-node-database.ts";

export interface Readiness {
  /** Why `/ready` answers 503; null when it answers 200. */
  findObstacle(): Promise<Obstacle | null>;
  /** From now on the node is stopping. */
  leave(): void;
}

export function createReadiness({ database, reserve }: Pick<NodeDatabase, "database" | "reserve">): Readiness {
  let isLeaving = false;
  return {
    findObstacle: async () => {
      if (isLeaving) return "stopping";
      return reserve?.isUsed === true ? "disk_full" : database.findFault();
    },
    leave: () => {
      isLeaving = true;
    },
  };
}
