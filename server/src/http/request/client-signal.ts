import { AppError } from "../../errors/index.ts";
import type { RouteReply } from "../route-reply.ts";

/** Aborts when the connection closes before the response is complete. */
export function clientSignalOf({ raw }: RouteReply): AbortSignal {
  const gone = new AbortController();
  const check = (): void => {
    if (!raw.writableFinished) gone.abort(clientGoneError());
  };
  if (raw.destroyed) check();
  else raw.on("close", check);
  return gone.signal;
}

export function clientGoneError(): AppError {
  return new AppError("BAD_REQUEST", "The client closed the connection early");
}
