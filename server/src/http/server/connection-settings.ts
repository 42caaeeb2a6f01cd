import type { Settings } from "../../config/index.ts";

export type ConnectionSettings = Pick<
  Settings,
  "tlsMode" | "trustedProxies" | "connectionsPerNode" | "connectionsPerAddress"
>;
