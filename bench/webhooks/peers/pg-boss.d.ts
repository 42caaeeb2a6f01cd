import type { Contender } from "../contender.ts";
import type { Stage } from "../stage.ts";

export function openPgBoss(stage: Stage): Promise<Contender>;
