/** Why there is no response. `connect_timeout` includes DNS and TLS; `connect_refused` includes unreachable hosts. */
export type OutboundFault =
  | "blocked_address"
  | "invalid_url"
  | "invalid_header"
  | "dns"
  | "connect_refused"
  | "connect_timeout"
  | "timeout"
  | "tls"
  | "reset"
  | "protocol"
  | "aborted";

export type OutboundResult =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfter: string | null;
      /** At most 64 KiB of valid UTF-8 without NUL. */
      readonly body: string;
      readonly isTruncated: boolean;
      readonly durationMs: number;
    }
  | {
      readonly kind: "failed";
      readonly code: OutboundFault;
      readonly message: string;
      readonly durationMs: number;
    };

/** A failure with its fault. The message is shown to the owner of the target, so it contains no addresses. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OutboundError";
    this.fault = fault;
  }
}
