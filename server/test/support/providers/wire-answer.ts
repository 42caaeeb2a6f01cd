export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>> | null;
}

/** What a streamed answer consists of, for any vendor. */
export interface WireAnswer {
  readonly texts?: readonly string[];
  readonly calls?: readonly WireCall[];
  readonly end?: "stop" | "length" | "refusal";
  readonly hasUsage?: boolean;
}
