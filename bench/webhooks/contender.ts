export interface Load {
  readonly deliveries: number;
  readonly endpoints: number;
}

/** One way to get deliveries made. Each takes the same deliveries to the same receiver. */
export interface Contender {
  readonly name: string;
  /** Outside of what is measured: everything is committed and waits. */
  fill(load: Load): Promise<void>;
  /** Until every delivery was sent, answered and recorded, and nothing is left in the queue. */
  drain(load: Load): Promise<void>;
  close(): Promise<void>;
}
