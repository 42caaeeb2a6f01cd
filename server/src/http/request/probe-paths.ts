/**
 * Served over plain HTTP in proxy mode too: probes call the process directly and cannot send forwarding headers.
 * Neither path takes credentials or returns anything that is not public.
 */
export const PROBE_PATHS: ReadonlySet<string> = new Set(["/health", "/ready"]);
