import type { TurnContender } from "../turns/turn-contender.ts";

export function openAiSdk(): TurnContender;
