import type { TurnContender } from "../turns/turn-contender.ts";

export function openOpenaiAgents(): TurnContender;
