/** A place for objects with names, such as a folder or a bucket. Objects are at most a few MB and are read and written whole. */
export interface ObjectStore {
  /** Where it is, for messages; has no secret. */
  readonly location: string;
  /** The object is durable when it resolves. Throws an `ExistsError` for an object that exists, unless it may be replaced. */
  put(name: string, content: Buffer, options: PutOptions): Promise<void>;
  /** Returns null when there is no such object. */
  get(name: string, signal: AbortSignal): Promise<Buffer | null>;
  /** The names below the prefix, sorted; a prefix ends with a slash or is empty. */
  list(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  /** No error when there is no such object. */
  remove(name: string, signal: AbortSignal): Promise<void>;
}

export interface PutOptions {
  readonly signal: AbortSignal;
  readonly mayReplace?: boolean;
}

/** Another process has written an object of this name. */
export class ExistsError extends Error {
  override readonly name = "ExistsError";
}
