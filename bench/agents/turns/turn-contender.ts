/** One way to let an agent answer. Each returns the answer, so that only working contenders are measured. */
export interface TurnContender {
  readonly name: string;
  answer(): Promise<unknown>;
  /** One tool call, then the answer. */
  callTool(): Promise<unknown>;
}
