export interface InvokeOptions {
  readonly body: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface InvokeResult {
  readonly data: unknown;
  readonly error: unknown;
}

/** What this package needs of a client: the part of supabase-js that calls functions. */
export interface FunctionsClient {
  readonly functions: { invoke(name: string, options: InvokeOptions): PromiseLike<InvokeResult> };
}
