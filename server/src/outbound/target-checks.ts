import type { AddressPolicy } from "./address-policy.ts";
import { type TargetCheck, checkTargetUrl } from "./target-url.ts";

const MAX_TARGETS = 2_000;

/** Caches the checks of URLs, which need no DNS. Names are resolved and checked with every connection. */
export function createTargetChecks(policy: AddressPolicy): (url: string) => TargetCheck {
  const targets = new Map<string, TargetCheck>();
  return (url) => {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const target = checkTargetUrl(url, policy);
    if (targets.size >= MAX_TARGETS) targets.clear();
    if (target.ok) targets.set(url, target);
    return target;
  };
}
