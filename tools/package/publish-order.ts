import type { BuiltPackage } from "./build.ts";
import { SERVICE } from "./manifest.ts";

/**
 * The order in which packages are published. The service depends on its extensions, which have it as a peer; it comes after them, because
 * it is what people install, and then everything that it needs is there. Packages without a scope create apps that depend on the service.
 */
export function orderForPublishing<T extends Pick<BuiltPackage, "name">>(packages: readonly T[]): T[] {
  const rank = ({ name }: T): number => (name === SERVICE ? 1 : name.startsWith("@") ? 0 : 2);
  return packages.toSorted((one, other) => rank(one) - rank(other));
}
