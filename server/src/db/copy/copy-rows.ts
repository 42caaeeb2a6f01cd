import { once } from "node:events";
import type { Duplex } from "node:stream";
import pg from "pg";
import type { CopiedTable } from "./statement.ts";

/** The parts of the driver's connection and query that it has no types for. */
interface CopyConnection {
  readonly stream: Duplex;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}
interface CopyQuery extends pg.Query {
  handleCopyInResponse(connection: CopyConnection): void;
  handleCopyData(message: { readonly chunk: Buffer }): void;
}

interface CopyRowsOptions {
  readonly from: pg.Client;
  readonly to: pg.Client;
  readonly table: CopiedTable;
  onBytes(count: number): void;
}

/** Streams one table from server to server. Returns the number of rows, which must be equal on both sides. */
export async function copyRows({ from, to, table, onBytes }: CopyRowsOptions): Promise<number> {
  const target = table.columns.length === 0 ? table.name : `${table.name} (${table.columns.join(", ")})`;
  const incoming = begin(to, `copy ${target} from stdin`);
  const connection = await Promise.race([
    incoming.ready,
    incoming.done.then(() => Promise.reject(new Error("no copy"))),
  ]);

  const { stream } = (from as unknown as { connection: CopyConnection }).connection;
  let backlog: Promise<unknown> | null = null;
  const outgoing = begin(from, `copy ${target} to stdout`, (chunk) => {
    onBytes(chunk.length);
    // The driver reuses its buffer.
    connection.sendCopyFromChunk(Buffer.from(chunk));
    if (!connection.stream.writableNeedDrain || backlog !== null) return;
    stream.pause();
    backlog = once(connection.stream, "drain").then(() => {
      backlog = null;
      stream.resume();
    });
  });
  let sent: number;
  try {
    sent = await outgoing.done;
  } catch (error) {
    connection.sendCopyFail("the source failed");
    await incoming.done.catch(() => {});
    throw error;
  }
  connection.endCopyFrom();
  const received = await incoming.done;
  if (sent !== received) throw new Error(`${table.name}: ${sent} rows were sent and ${received} arrived`);
  return received;
}

function begin(client: pg.Client, text: string, onChunk: (chunk: Buffer) => void = () => {}) {
  const ready = Promise.withResolvers<CopyConnection>();
  const done = Promise.withResolvers<number>();
  const lose = (): void => done.reject(new Error("the connection was closed in the middle of a copy"));
  client.once("end", lose);
  done.promise.catch(() => {}).finally(() => client.off("end", lose));
  const query = new pg.Query(text) as CopyQuery;
  query.handleCopyInResponse = (connection) => ready.resolve(connection);
  query.handleCopyData = ({ chunk }) => onChunk(chunk);
  query.on("error", (error) => done.reject(error));
  query.on("end", (result) => done.resolve(result.rowCount ?? 0));
  client.query(query);
  return { ready: ready.promise, done: done.promise };
}
