import { derivePassword } from "../../crypto/index.ts";
import { holdSchemaLevels, OWNER_ROLE, withRole } from "../../db/index.ts";
import type { Worker } from "../../jobs/index.ts";
import type { NodeContext } from "../node-context.ts";
import type { PreparedNode } from "./prepare-node.ts";

export interface SchemaLevel {
  readonly worker: Worker;
  /** Resolves when newer releases see this node. Rejects when one has removed what this release uses. */
  readonly held: Promise<void>;
}

/** Keeps newer releases from removing what this one uses. One for each service, however many processes it has. */
export function createSchemaLevel(
  { extensions, observer }: NodeContext,
  { server, masterKey }: Pick<PreparedNode, "server" | "masterKey">,
): SchemaLevel {
  const url = withRole(server.directUrl, OWNER_ROLE, derivePassword(masterKey, OWNER_ROLE));
  const schemas = extensions.flatMap(({ schema }) => schema ?? []);
  const { promise: held, resolve: onHeld, reject } = Promise.withResolvers<void>();
  held.catch(() => {});
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await holdSchemaLevels({ url, extensions: schemas, observer, onHeld }, signal);
    } catch (error) {
      reject(error);
      throw error;
    }
  };
  return { worker: { name: "schema-level", isCritical: true, run }, held };
}
