import type { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import pg from "pg";

/** The part of the driver's connection that the pipeline uses. */
export interface WireConnection extends EventEmitter {
  readonly stream: Duplex;
}

/** The part of the driver's client that the pipeline uses. */
export interface WireClient {
  readonly connection: WireConnection;
  readonly host: string;
  readonly port: number;
  readonly ssl: unknown;
  readonly sslNegotiation: string;
  readonly processID: number;
  readonly secretKey: number;
}

/** A query as the driver calls it back. */
export interface Answerable {
  callback: (() => void) | null;
  submit(connection: WireConnection): Error | null;
  handleRowDescription(): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleEmptyQuery(): void;
  handlePortalSuspended(): void;
  handleCopyInResponse(connection: WireConnection): void;
  handleCopyData(message: unknown, connection: WireConnection): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
}

export function toWireClient(client: pg.PoolClient): WireClient {
  if (!(client instanceof pg.Client)) throw new TypeError("the pipeline needs the JavaScript client of the driver");
  return client as unknown as WireClient;
}

export function submit(client: pg.PoolClient, statement: Answerable): void {
  client.query(statement as unknown as pg.Submittable);
}
