/**
 * What went wrong before an answer was there. `connect_timeout`: no connection (DNS, TCP, TLS) in time; `timeout`: no
 * complete answer in time; `connect_refused`: nothing listens or no way there; `protocol`: not an answer in HTTP.
 */
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
      /** At most 64 KiB of valid text without NUL. */
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
