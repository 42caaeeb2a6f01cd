/**
 * Options for writing a filter to the URL. Synchronously: with a deferred update the router would drop letters that are typed
 * meanwhile, and the next change would be based on a URL without this one.
 */
export const URL_UPDATE_OPTIONS = { replace: true, flushSync: true } as const;
