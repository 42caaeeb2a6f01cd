import { ERROR_CODES, type ErrorCode } from "@swarmbase/sdk";
import type { ToolKinds } from "../agents/index.ts";
import { AUTH_ERRORS, type AuthErrorCode } from "../auth/index.ts";
import type { Settings } from "../config/index.ts";
import { type Database, SERVICE_PRINCIPAL } from "../db/index.ts";
import type { HelpLinks } from "../errors/index.ts";
import type { Route } from "../http/index.ts";
import type { Worker } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { describeInterface } from "./describe-interface.ts";
import { createExtensionDatabase } from "./extension-database.ts";
import { type CoreParts, createRest } from "./extension-core.ts";
import { extensionRoutes } from "./extension-routes.ts";
import { schemaOf, toolKindOf } from "./find-extension-faults.ts";
import type { LoadedExtension } from "./load-extensions.ts";
import type { Extension, ExtensionContext } from "./port.ts";

export interface OpenExtensionsOptions {
  readonly extensions: readonly LoadedExtension[];
  readonly settings: Pick<Settings, "dbStatementTimeoutMs" | "siteUrl">;
  readonly database: Pick<Database, "user" | "service" | "work">;
  /** Opens a guarded fetch. The origins of trusted URLs may have any address and may use plain HTTP. */
  openFetch(trustedUrls: readonly string[]): ExtensionContext["fetch"];
  /** Throws before the modules are open. */
  getCore(): CoreParts;
  /** Throws before the service listens. */
  baseUrl(): string;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly version: string;
}

/** What all extensions add to this node. */
export interface OpenedExtensions {
  readonly routes: readonly Route[];
  readonly workers: readonly Worker[];
  readonly toolKinds: ToolKinds;
  readonly helpLinks: HelpLinks;
}

export function openExtensions(options: OpenExtensionsOptions): OpenedExtensions {
  const opened = options.extensions.map((loaded) => openExtension(loaded, options));
  return {
    routes: opened.flatMap(({ routes }) => routes),
    workers: opened.flatMap(({ workers }) => workers),
    toolKinds: new Map(opened.flatMap(({ toolKinds }) => [...toolKinds])),
    helpLinks: new Map(opened.flatMap(({ helpLinks }) => [...helpLinks])),
  };
}

function openExtension(loaded: LoadedExtension, options: OpenExtensionsOptions): OpenedExtensions {
  const { extension, settings, routes, trustedUrls } = loaded;
  const { database, observer, clock, version } = options;
  const { dbStatementTimeoutMs } = options.settings;
  const { name, workers = [], toolKinds = [] } = extension;
  const fetch = options.openFetch(trustedUrls);
  // Work that goes on by itself has a pool of its own, so that it is not delayed by requests that wait for a connection.
  const contextOver = (service: Database["service"]): ExtensionContext => ({
    settings,
    database: createExtensionDatabase({ user: database.user, service }, schemaOf(name), dbStatementTimeoutMs),
    version,
    now: () => clock.now(),
    fetch,
    restAsService: (call) => createRest(options.getCore().rest, SERVICE_PRINCIPAL)(call),
    note: (message, fields = {}) => observer.note("extension.note", { ...fields, extension: name, note: message }),
    fail: (message, error) => observer.note("extension.failed", { extension: name, note: message, error }),
    // Commands load this module too, and need nothing of the agents.
    findAnswerFault: async (schema, text) => (await import("../agents/index.ts")).findAnswerFault(schema, text),
    describe: describeInterface,
    baseUrl: () => options.baseUrl(),
    ownOrigins: () =>
      [options.baseUrl(), options.settings.siteUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin])),
  });
  const requestContext = contextOver(database.service);
  const workContext = contextOver(database.work);
  return {
    routes: extensionRoutes(routes, { context: requestContext, getCore: () => options.getCore() }),
    workers: workers.map((worker) => ({ name: worker.name, run: (signal) => worker.run(signal, workContext) })),
    toolKinds: new Map(
      toolKinds.map((kind) => [
        toolKindOf(name, kind.name),
        { findConfigFaults: (config) => kind.findConfigFaults(config), run: (call) => kind.run(call, workContext) },
      ]),
    ),
    helpLinks: buildHelpLinks(extension),
  };
}

/** Rendered once for each code, so that an error costs no more than a lookup. */
function buildHelpLinks(extension: Extension): HelpLinks {
  const codes = [...Object.keys(ERROR_CODES), ...Object.keys(AUTH_ERRORS), null] as (
    | ErrorCode
    | AuthErrorCode
    | null
  )[];
  return new Map(
    codes.flatMap((code) => {
      const path = extension.findHelp?.(code) ?? null;
      return path === null ? [] : [[code, `<${encodeURI(path)}>; rel="help"`]];
    }),
  );
}
