import type { OutboundFault } from "./outbound-result.ts";

/** A failure with its fault. The message is shown to the owner of the target, so it contains no addresses. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OutboundError";
    this.fault = fault;
  }
}
