/** The client sent an invalid frame; the connection must be closed. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FrameError";
  }
}
