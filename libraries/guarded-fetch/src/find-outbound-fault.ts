import { type ClassifiedFault, classifyError } from "./classify-error.ts";
import { OutboundError, type OutboundFault } from "./outbound-result.ts";

interface FetchFault extends Omit<ClassifiedFault, "code"> {
  readonly code: OutboundFault | "redirect";
}

const MAX_CAUSES = 5;

/** The fault of a failed fetch or of reading its response, found among the causes that fetch and other libraries wrap. */
export function findOutboundFault(error: unknown): FetchFault {
  const causes = causesOf(error);
  const own = causes.find((cause) => cause instanceof OutboundError);
  if (own !== undefined) return classifyError(own, true);
  const last = causes.at(-1);
  if (last === undefined) return classifyError(new OutboundError("protocol", "The request failed."), true);
  if (last.name === "AbortError" || last.name === "TimeoutError") {
    return { code: "aborted", message: "The request was cancelled." };
  }
  // fetch gives these two errors no code.
  if (last.message === "unexpected redirect") {
    return { code: "redirect", message: "The server answered with a redirect, which is not followed." };
  }
  if (last.message === "bad port") return { code: "invalid_url", message: "The port is not allowed." };
  return classifyError(last, !("syscall" in last && last.syscall === "connect"));
}

/** Whether the request cannot have reached the server, so that a retry cannot repeat its effect. */
export function wasNeverSent(error: unknown): boolean {
  const { code } = findOutboundFault(error);
  return code === "dns" || code === "connect_refused" || code === "connect_timeout" || code === "tls";
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let next = error; next instanceof Error && causes.length < MAX_CAUSES; next = next.cause) causes.push(next);
  return causes;
}
