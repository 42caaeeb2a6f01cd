/**
 * How a choice goes into the address. At once: a router that draws it when there is time would take letters away that are typed
 * meanwhile, and the next choice would be added to an address that lacks this one.
 */
export const AT_ONCE = { replace: true, flushSync: true } as const;
