/** One way to let an agent answer. Each answers with what it said, so that nothing is measured that does not work. */
export interface TurnContender {
  readonly name: string;
  answer(): Promise<unknown>;
  /** One call of a tool, then the answer. */
  callTool(): Promise<unknown>;
}
