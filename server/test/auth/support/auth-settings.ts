import type { AuthSettings } from "../../../src/auth/auth-context.ts";
import { loadSettings } from "../../../src/config/index.ts";

/** The defaults without the mail throttle: tests request many mails in a row. */
export function buildAuthSettings(overrides: Partial<AuthSettings>): AuthSettings {
  return { ...loadSettings({}), authMailIntervalSeconds: 0, ...overrides };
}
