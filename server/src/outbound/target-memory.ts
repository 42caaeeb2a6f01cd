import type { AddressPolicy } from "./address-policy.ts";
import { type TargetCheck, checkTargetUrl } from "./target-url.ts";

const MAX_TARGETS = 2_000;

/** Remembers what was found about a URL, which depends on nothing else; names are resolved and judged with every connection. */
export function createTargetMemory(policy: AddressPolicy): { find(url: string): TargetCheck } {
  const targets = new Map<string, TargetCheck>();
  return {
    find: (url) => {
      const known = targets.get(url);
      if (known !== undefined) return known;
      const target = checkTargetUrl(url, policy);
      if (targets.size >= MAX_TARGETS) targets.clear();
      if (target.ok) targets.set(url, target);
      return target;
    },
  };
}
