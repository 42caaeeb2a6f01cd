import type { Duplex } from "node:stream";
import pg from "pg";
import { type DatabaseHosts, findDatabaseHosts, requireWrites } from "./database-hosts.ts";
import type { HostConnection } from "./shared-primary.ts";

type OnConnected = Parameters<pg.Client["connect"]>[0];

/** The part of the driver's client that it has no types for. */
interface Addressed {
  host: string;
  port: number;
  readonly connection: { readonly stream: Duplex };
}

/**
 * The client for every connection of the service. Where the connection string names several servers, it connects to the one that
 * accepts writes, and ends when another one is found to have taken its place.
 */
export class DatabaseClient extends pg.Client {
  readonly #hosts: DatabaseHosts | null;
  #held: HostConnection | null = null;
  #isEnding = false;

  constructor(config: pg.ClientConfig = {}) {
    const hosts = findDatabaseHosts(config.connectionString);
    super(hosts === null ? config : { ...config, connectionString: hosts.urls[0] });
    this.#hosts = hosts;
    if (hosts === null) return;
    // Also so that a connection that breaks before its owner listens does not end the process.
    this.on("error", () => this.doubtServer());
    this.on("end", () => {
      if (!this.#isEnding) this.doubtServer();
      if (this.#held !== null) hosts.primary.delete(this.#held);
    });
  }

  /** The connection string of the server that it is connected to, for a second connection to the same one. */
  serverUrlOf(url: string): string {
    return this.#hosts === null || this.#held === null ? url : (this.#hosts.urls[this.#held.place] ?? url);
  }

  /** Has the next connection find out which server accepts writes. */
  doubtServer(): void {
    if (this.#held !== null) this.#hosts?.primary.doubt(this.#held.place);
  }

  override connect(): Promise<DatabaseClient>;
  override connect(callback: NonNullable<OnConnected>): void;
  override connect(callback?: OnConnected): Promise<DatabaseClient> | undefined {
    const hosts = this.#hosts;
    if (hosts === null && callback !== undefined) {
      super.connect(callback);
      return undefined;
    }
    const connected = hosts === null ? super.connect() : this.#connectTo(hosts);
    if (callback === undefined) return connected.then(() => this);
    const pass = callback as (error: unknown) => void;
    connected.then(() => pass(null), pass);
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.#isEnding = true;
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  async #connectTo(hosts: DatabaseHosts): Promise<void> {
    const place = await hosts.find();
    const client = this as unknown as Addressed;
    // The pool destroys the socket of a client that takes too long, and connecting would open it again.
    if (client.connection.stream.destroyed || this.#isEnding)
      throw new Error("Connection terminated before it was established");
    Object.assign(client, hosts.addresses[place]);
    this.#held = { place, drop: () => this.#drop() };
    try {
      await super.connect();
      await requireWrites(this);
      // Found while this one was being opened.
      if (hosts.primary.last !== place) throw movedError();
    } catch (error) {
      hosts.primary.doubt(place);
      // An end that was asked for is no error event; a server that hangs would not answer it.
      void this.end();
      client.connection.stream.destroy();
      throw error;
    }
    hosts.primary.add(this.#held);
  }

  #drop(): void {
    const { stream } = (this as unknown as Addressed).connection;
    stream.destroy(movedError());
  }
}

function movedError(): Error {
  return new Error("Connection terminated: another server has become the primary");
}
