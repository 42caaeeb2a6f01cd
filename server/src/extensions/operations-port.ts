import type { Framework } from "@swarmbase/sdk";
import type { AddedProvider, DescribedProvider, ProviderTest } from "../agents/index.ts";
import type { MailTest, MailTransport } from "../auth/index.ts";
import type { SettingInForce } from "../config/index.ts";

/** How this service is configured and whether its parts work, for the person who runs it. Nothing here has a secret. */
export interface ExtensionOperations {
  /** Of the core and of all loaded extensions. */
  settings(): readonly SettingInForce[];
  /** As the providers file has them now. Throws before the service listens. */
  providers(): readonly DescribedProvider[];
  /** One small call to a provider, without retries and fallbacks. The provider charges it. */
  testProvider(framework: Framework, model: string | null, signal: AbortSignal): Promise<ProviderTest>;
  /**
   * Tests a key of a vendor (null: by its form) and stores one that works. Throws 403 unless only the developer reaches the service and
   * all its providers are simulated.
   */
  addProvider(key: string, vendor: string | null, signal: AbortSignal): Promise<AddedProvider>;
  mailTransport(): MailTransport;
  /** Sends a mail to the confirmed address of a user, and waits for the mail server. */
  sendTestMail(userId: string): Promise<MailTest>;
  /** The tasks of this process. */
  readonly roles: readonly string[];
  /** Whether this process is one of several worker processes of its node. */
  readonly isWorkerProcess: boolean;
}
