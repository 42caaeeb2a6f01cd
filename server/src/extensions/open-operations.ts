import { describeMailTransport, sendsMails, sendTestMail } from "../auth/index.ts";
import { describeSettings, type Environment, type Settings } from "../config/index.ts";
import type { CorePorts } from "./extension-core.ts";
import type { LoadedExtension } from "./load-extensions.ts";
import type { ExtensionOperations } from "./operations-port.ts";

export interface OperationsOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly extensions: readonly LoadedExtension[];
  readonly isWorkerProcess: boolean;
  /** Throws before the modules are open. */
  getCore(): CorePorts;
}

export function openOperations(options: OperationsOptions): ExtensionOperations {
  const { settings, environment, extensions, isWorkerProcess, getCore } = options;
  return {
    settings: () =>
      describeSettings(
        settings,
        environment,
        extensions.map(({ extension, settings: values }) => ({
          name: extension.name,
          settings: extension.settings ?? [],
          standardVariables: extension.standardVariables ?? [],
          values,
        })),
      ),
    providers: () => getCore().providerChecks.list(),
    testProvider: async (framework, model, signal) => {
      getCore().requireReleased();
      return getCore().providerChecks.test(framework, model, signal);
    },
    addProvider: async (key, vendor, signal) => {
      getCore().requireReleased();
      return getCore().providerSetup.add(key, vendor, signal);
    },
    mailTransport: () => describeMailTransport(settings),
    sendTestMail: async (userId) => {
      // Mails that are written to files are not held.
      if (sendsMails(settings)) getCore().requireReleased();
      return sendTestMail(getCore().auth, userId);
    },
    roles: settings.roles,
    isWorkerProcess,
  };
}
