/** What a client sent cannot be read as a frame of its protocol, so nothing that follows could be trusted either. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FrameError";
  }
}
