/** A connection to one server of a list. */
export interface HostConnection {
  /** The place of the server in the list. */
  readonly place: number;
  drop(): void;
}

/** What all connections of this process know about the servers of one list. */
export class SharedPrimary {
  readonly #connections = new Set<HostConnection>();
  readonly #listeners = new Set<(place: number) => void>();
  /** The server that has accepted writes last. */
  last: number | null = null;
  /** The same, while no connection to it has failed since; null means that it has to be found again. */
  trusted: number | null = null;

  /** Ends all connections to other servers: they would read old rows, or wait for a server that is gone. */
  trust(place: number): void {
    const isMoved = this.last !== null && this.last !== place;
    this.last = place;
    this.trusted = place;
    if (!isMoved) return;
    for (const connection of this.#connections) if (connection.place !== place) connection.drop();
    for (const listener of this.#listeners) listener(place);
  }

  doubt(place: number): void {
    if (this.trusted === place) this.trusted = null;
  }

  add(connection: HostConnection): void {
    this.#connections.add(connection);
  }

  delete(connection: HostConnection): void {
    this.#connections.delete(connection);
  }

  /** Returns a function that ends the calls. */
  onMoved(listener: (place: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
