import type { Contender } from "../contender.ts";
import type { Stage } from "../stage.ts";

export function openBullMq(stage: Stage, redisUrl: string): Promise<Contender>;
