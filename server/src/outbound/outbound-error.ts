import type { OutboundFault } from "./outbound-result.ts";

/** A refusal or failure of our own, with the fault that it is. Its message is for the owner of the target: no addresses. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OutboundError";
    this.fault = fault;
  }
}
