import { OutboundError, type OutboundFault } from "./outbound-result.ts";

export interface ClassifiedFault {
  readonly code: OutboundFault;
  readonly message: string;
}

const FAULTS_BY_CODE: Readonly<Record<string, OutboundFault>> = {
  ECONNREFUSED: "connect_refused",
  EHOSTUNREACH: "connect_refused",
  EHOSTDOWN: "connect_refused",
  ENETUNREACH: "connect_refused",
  ENETDOWN: "connect_refused",
  EADDRNOTAVAIL: "connect_refused",
  UND_ERR_CONNECT_TIMEOUT: "connect_timeout",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  EPROTO: "tls",
  UND_ERR_HEADERS_OVERFLOW: "protocol",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "protocol",
  UND_ERR_INVALID_ARG: "invalid_header",
  UND_ERR_NOT_SUPPORTED: "invalid_header",
};

const MESSAGES: Readonly<Record<OutboundFault, string>> = {
  blocked_address: "The address must not be reached.",
  invalid_url: "The URL is not valid.",
  invalid_header: "A header cannot be sent.",
  dns: "The host name could not be resolved.",
  connect_refused: "The connection was refused or the host cannot be reached.",
  connect_timeout: "No connection was made in time.",
  timeout: "No complete answer came in time.",
  tls: "The TLS handshake failed.",
  reset: "The connection was closed before the answer was complete.",
  protocol: "The answer is not valid HTTP.",
  aborted: "The request was cancelled.",
};

/** Returns no system messages, because they contain addresses. The code is enough to find the cause. */
export function classifyError(error: Error, isConnected: boolean): ClassifiedFault {
  if (error instanceof OutboundError) return { code: error.fault, message: error.message };
  const code = findCode(error);
  const fault = findFault(code, error, isConnected);
  return { code: fault, message: code === null ? MESSAGES[fault] : `${MESSAGES[fault]} (${code})` };
}

function findFault(code: string | null, error: Error, isConnected: boolean): OutboundFault {
  if (code === "ETIMEDOUT") return isConnected ? "timeout" : "connect_timeout";
  if (isParserError(code, error)) return "protocol";
  const known = code === null ? undefined : FAULTS_BY_CODE[code];
  if (known !== undefined) return known;
  if (code?.startsWith("ERR_SSL_") === true || code?.startsWith("ERR_TLS_") === true) return "tls";
  if (isConnected) return "reset";
  // What remains is a failed system call or a certificate error.
  return "syscall" in error ? "connect_refused" : "tls";
}

/** undici reports a rejected interim response (100, 101) with the code of a closed socket; only the message differs. */
function isParserError(code: string | null, { name, message }: Error): boolean {
  return code?.startsWith("HPE_") === true || name === "HTTPParserError" || /^bad (response|upgrade)$/.test(message);
}

function findCode(error: Error): string | null {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : null;
}
