import type { ToolKinds } from "../agents/index.ts";
import type { Settings } from "../config/index.ts";
import type { Database } from "../db/index.ts";
import type { Route } from "../http/index.ts";
import type { Worker } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { describeInterface } from "./describe-interface.ts";
import { createExtensionDatabase } from "./extension-database.ts";
import { extensionRoutes } from "./extension-routes.ts";
import { schemaOf } from "./find-extension-faults.ts";
import type { LoadedExtension } from "./load-extensions.ts";
import type { ExtensionContext } from "./port.ts";

export interface OpenExtensionsOptions {
  readonly extensions: readonly LoadedExtension[];
  readonly settings: Pick<Settings, "dbStatementTimeoutMs">;
  readonly database: Pick<Database, "user" | "service" | "work">;
  readonly fetch: ExtensionContext["fetch"];
  readonly observer: Observer;
  readonly clock: Clock;
  readonly version: string;
}

/** What all extensions add to this node. */
export interface OpenedExtensions {
  readonly routes: readonly Route[];
  readonly workers: readonly Worker[];
  readonly toolKinds: ToolKinds;
}

export function openExtensions(options: OpenExtensionsOptions): OpenedExtensions {
  const opened = options.extensions.map((loaded) => openExtension(loaded, options));
  return {
    routes: opened.flatMap(({ routes }) => routes),
    workers: opened.flatMap(({ workers }) => workers),
    toolKinds: new Map(opened.flatMap(({ toolKinds }) => [...toolKinds])),
  };
}

function openExtension({ extension, settings }: LoadedExtension, options: OpenExtensionsOptions): OpenedExtensions {
  const { database, observer, clock, version } = options;
  const { dbStatementTimeoutMs } = options.settings;
  const { name, workers = [], toolKinds = [] } = extension;
  // Work that goes on by itself has a pool of its own, so that it is not delayed by requests that wait for a connection.
  const contextOver = (service: Database["service"]): ExtensionContext => ({
    settings,
    database: createExtensionDatabase({ user: database.user, service }, schemaOf(name), dbStatementTimeoutMs),
    version,
    now: () => clock.now(),
    fetch: options.fetch,
    note: (message, fields = {}) => observer.note("extension.note", { ...fields, extension: name, note: message }),
    fail: (message, error) => observer.note("extension.failed", { extension: name, note: message, error }),
    describe: describeInterface,
  });
  const requestContext = contextOver(database.service);
  const workContext = contextOver(database.work);
  return {
    routes: extensionRoutes(extension, requestContext),
    workers: workers.map((worker) => ({ name: worker.name, run: (signal) => worker.run(signal, workContext) })),
    toolKinds: new Map(
      toolKinds.map((kind) => [
        `${name}.${kind.name}`,
        { findConfigFaults: (config) => kind.findConfigFaults(config), run: (call) => kind.run(call, workContext) },
      ]),
    ),
  };
}
