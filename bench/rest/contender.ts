import type { HttpAnswer, HttpRequest, HttpTarget } from "../load/http-connection.ts";
import type { Operation } from "./operations.ts";
import type { Target } from "./population.ts";

export interface Round {
  readonly requests: number;
  readonly seconds: number;
  /** CPU of the load generator as a share of all cores; 0 if the contender needs none. */
  readonly loadShare: number;
}

export interface WarmUp {
  readonly minMs: number;
  readonly maxMs: number;
}

/** One way to do the same work. */
export interface Contender {
  readonly name: string;
  /** Its own processes; the shared PostgreSQL is counted separately. */
  readonly pids: readonly number[];
  /** Its database in the shared PostgreSQL; null when it has its own store. */
  readonly database: string | null;
  /** Sends every later request once, unless that takes too long, so that caches are filled and code is compiled. */
  warmUp(operation: Operation, ms: WarmUp): Promise<unknown>;
  run(operation: Operation, durationMs: number): Promise<Round>;
  stop(): Promise<void>;
}

/** What an HTTP server must describe about itself; the load is the same for all. */
export interface HttpServer {
  readonly name: string;
  readonly pids: readonly number[];
  readonly database: string | null;
  readonly target: HttpTarget;
  request(operation: Operation, target: Target): HttpRequest;
  /** For what answers every caller alike, such as a floor: it has no rows of other users to protect. */
  readonly hasNoRules?: boolean;
  /** Brings the server into the state that its name says, before each round. */
  prepareRound?(): Promise<void>;
  /** Fails if it was not in this state during the round. */
  checkRound?(): Promise<void>;
  /** The number of agents in a response, each with its number of tools. */
  readAgents(operation: Operation, answer: HttpAnswer): readonly ReadAgent[];
  stop(): Promise<void>;
}

export interface ReadAgent {
  readonly id: string;
  readonly tools: number;
}
