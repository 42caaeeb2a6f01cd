import { randomBytes } from "node:crypto";

const SHARED_CHARACTERS = "xxxxxxxx-xxxx-xxxx".length;

/** Claims of one node begin like its id, so that another node can release them all. */
export function createClaims(node: string): () => string {
  const prefix = node.slice(0, SHARED_CHARACTERS);
  return () => {
    const random = randomBytes(8).toString("hex");
    return `${prefix}-${random.slice(0, 4)}-${random.slice(4)}`;
  };
}

/** The first and the last claim that a node can have. */
export function claimRangeOf(node: string): readonly [first: string, last: string] {
  const prefix = node.slice(0, SHARED_CHARACTERS);
  return [`${prefix}-0000-000000000000`, `${prefix}-ffff-ffffffffffff`];
}
