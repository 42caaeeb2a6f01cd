import { loadSettings, type Settings } from "../../../src/config/index.ts";

/** The defaults without the mail throttle: tests request many mails in a row. */
export function buildAuthSettings(overrides: Partial<Settings>): Settings {
  return { ...loadSettings({}), authMailIntervalSeconds: 0, ...overrides };
}
