import type { Contender } from "../contender.ts";
import type { Stage } from "../stage.ts";

export function openGraphileWorker(stage: Stage): Promise<Contender>;
