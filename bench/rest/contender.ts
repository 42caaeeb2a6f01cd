import type { HttpAnswer, HttpRequest, HttpTarget } from "../load/http-connection.ts";
import type { Operation } from "./operations.ts";
import type { Target } from "./population.ts";

export interface Round {
  readonly requests: number;
  readonly seconds: number;
}

export interface WarmUp {
  readonly least: number;
  readonly most: number;
}

/** One way to get the same done. */
export interface Contender {
  readonly name: string;
  /** Processes of its own; the shared PostgreSQL is counted beside them. */
  readonly pids: readonly number[];
  /** Its database in the shared PostgreSQL; null when it has a store of its own. */
  readonly database: string | null;
  /** Everything that is asked later has been asked once, unless that takes too long: caches are full, code is compiled. */
  warmUp(operation: Operation, ms: WarmUp): Promise<unknown>;
  run(operation: Operation, durationMs: number): Promise<Round>;
  stop(): Promise<void>;
}

/** What a server that speaks HTTP has to say about itself; the load is the same for all. */
export interface HttpServer {
  readonly name: string;
  readonly pids: readonly number[];
  readonly database: string | null;
  readonly target: HttpTarget;
  request(operation: Operation, target: Target): HttpRequest;
  /** Agents in an answer with each its number of tools. */
  readAgents(operation: Operation, answer: HttpAnswer): readonly ReadAgent[];
  stop(): Promise<void>;
}

export interface ReadAgent {
  readonly id: string;
  readonly tools: number;
}
