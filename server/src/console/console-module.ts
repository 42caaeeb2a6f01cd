/** The request headers that decide how a file is sent. */
export interface AskedFor {
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ConsoleModule {
  /** Null where the console has no such file. */
  findFile(path: string, asked: AskedFor): ConsoleAnswer | null;
  /** The one page; before it is built, or when it could not be, a page that says so. */
  getPage(asked: AskedFor): ConsoleAnswer;
  /** What the page needs to know before it can call the service. Nothing in it is secret. */
  getStart(): ConsoleAnswer;
  close(): Promise<void>;
}
