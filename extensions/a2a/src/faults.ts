import { type ExtensionError, isRecord, toExtensionError } from "swarmbase/extension";

/** The errors of the protocol that this package answers with: the code of JSON-RPC and the status of HTTP+JSON. */
const PROTOCOL_FAULTS = {
  TASK_NOT_FOUND: { rpcCode: -32_001, status: 404 },
  TASK_NOT_CANCELABLE: { rpcCode: -32_002, status: 400 },
  UNSUPPORTED_OPERATION: { rpcCode: -32_004, status: 400 },
  CONTENT_TYPE_NOT_SUPPORTED: { rpcCode: -32_005, status: 400 },
  VERSION_NOT_SUPPORTED: { rpcCode: -32_009, status: 400 },
  METHOD_NOT_FOUND: { rpcCode: -32_601, status: 404 },
  INVALID_REQUEST: { rpcCode: -32_600, status: 400 },
  INVALID_PARAMS: { rpcCode: -32_602, status: 400 },
} as const;

type ProtocolReason = keyof typeof PROTOCOL_FAULTS;

/** An error that the protocol defines. */
export class ProtocolError extends Error {
  readonly reason: ProtocolReason;

  constructor(reason: ProtocolReason, message: string) {
    super(message);
    this.name = "ProtocolError";
    this.reason = reason;
  }
}

/** An error in the terms of the protocol. */
export interface Fault {
  readonly status: number;
  readonly rpcCode: number;
  readonly message: string;
  readonly retryAfterSeconds: number | null;
  /** Details in the forms of `google.rpc`, which both bindings send. */
  readonly details: readonly object[];
}

const TYPE = "type.googleapis.com/google.rpc.";
const PROTOCOL_DOMAIN = "a2a-protocol.org";
/** For errors of the service that the protocol has no code for: JSON-RPC leaves these codes to servers. */
const SERVER_ERROR = -32_000;
const INTERNAL_ERROR = -32_603;
const STATUSES_OF_INPUT: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Throws an error without a message for the caller again: the service logs it and answers 500. */
export function toFault(error: unknown): Fault {
  if (error instanceof ProtocolError) {
    const { reason, message } = error;
    const details = [{ "@type": `${TYPE}ErrorInfo`, reason, domain: PROTOCOL_DOMAIN }];
    return { ...PROTOCOL_FAULTS[reason], message, retryAfterSeconds: null, details };
  }
  const known = toExtensionError(error);
  if (known === null) throw error;
  return describeError(known);
}

/** An error of the service; its code is in the details. */
export function describeError({ status, code, message, details, retryAfterSeconds }: ExtensionError): Fault {
  const reason = findReason(status, code);
  const rpcCode = code === "INTERNAL_ERROR" ? INTERNAL_ERROR : SERVER_ERROR;
  const fieldViolations = Object.entries(isRecord(details) ? details : {}).map(([field, description]) => {
    return { field, description };
  });
  return {
    status,
    rpcCode: reason === null ? rpcCode : PROTOCOL_FAULTS[reason].rpcCode,
    message,
    retryAfterSeconds,
    details: [
      {
        "@type": `${TYPE}ErrorInfo`,
        reason: reason ?? code,
        domain: reason === null ? "swarmbase" : PROTOCOL_DOMAIN,
        metadata: { code },
      },
      ...(fieldViolations.length === 0 ? [] : [{ "@type": `${TYPE}BadRequest`, fieldViolations }]),
      ...(retryAfterSeconds === null ? [] : [{ "@type": `${TYPE}RetryInfo`, retryDelay: `${retryAfterSeconds}s` }]),
    ],
  };
}

function findReason(status: number, code: string): ProtocolReason | null {
  if (code === "RUN_NOT_FOUND") return "TASK_NOT_FOUND";
  return STATUSES_OF_INPUT.has(status) ? "INVALID_PARAMS" : null;
}

/** The names of `google.rpc.Code`, which errors of HTTP+JSON contain. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export function renderHttpFault({ status, message, details }: Fault): object {
  return { error: { code: status, status: STATUS_NAMES[status] ?? "UNKNOWN", message, details } };
}

export type RpcId = string | number | null;

export function renderRpcFault({ rpcCode, message, details }: Fault, id: RpcId): object {
  return { jsonrpc: "2.0", id, error: { code: rpcCode, message, data: details } };
}
