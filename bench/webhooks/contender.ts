export interface Load {
  readonly deliveries: number;
  readonly endpoints: number;
}

/** One way to send deliveries. Each contender sends the same deliveries to the same receiver. */
export interface Contender {
  readonly name: string;
  /** Not measured: commits all deliveries to the queue. */
  fill(load: Load): Promise<void>;
  /** Resolves when every delivery was sent, answered and recorded, and the queue is empty. */
  drain(load: Load): Promise<void>;
  close(): Promise<void>;
}
