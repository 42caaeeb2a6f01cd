/**
 * Why there is no response. `connect_timeout`: no connection (DNS, TCP, TLS) in time; `timeout`: no complete response in time;
 * `connect_refused`: nothing listens, or the host is unreachable; `protocol`: the response is not valid HTTP.
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
