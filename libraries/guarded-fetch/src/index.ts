// In charge of: all outgoing connections: allowed addresses, connections pinned to the checked addresses, deadlines, limits
// of responses and of pools.
// Not in charge of: what is sent and when, signatures, retries, settings.

export { type AddressPolicy, createAddressPolicy } from "./address-policy.ts";
export type { Resolver } from "./dns/resolver.ts";
export { findOutboundFault, wasNeverSent } from "./find-outbound-fault.ts";
export { type GuardedFetch, openGuardedFetch } from "./guarded-fetch.ts";
export { findCustomHeaderFault } from "./header-rules.ts";
export { type Outbound, type OutboundRequest, openOutbound } from "./open-outbound.ts";
export type { OutboundFault, OutboundResult } from "./outbound-result.ts";
export { inspectCertificate } from "./inspect-certificate.ts";
export { checkTargetUrl, isLoopbackHost, isLoopbackUrl } from "./target-url.ts";
