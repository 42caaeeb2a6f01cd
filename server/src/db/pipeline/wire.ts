import type { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import pg from "pg";

/** The part of the driver's connection that flights use. */
export interface WireConnection extends EventEmitter {
  readonly stream: Duplex;
}

/** What the driver's client is to a flight. */
export interface WireClient {
  readonly connection: WireConnection;
  readonly host: string;
  readonly port: number;
  readonly ssl: unknown;
  readonly sslNegotiation: string;
  readonly processID: number;
  readonly secretKey: number;
}

/** What the driver calls when a statement that it has submitted is answered. */
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
  if (!(client instanceof pg.Client)) throw new TypeError("flights need the driver's own client");
  return client as unknown as WireClient;
}

export function submit(client: pg.PoolClient, statement: Answerable): void {
  client.query(statement as unknown as pg.Submittable);
}
