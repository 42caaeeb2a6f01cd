import { type AddressPolicy, checkTargetUrl, createAddressPolicy } from "@swarmbase/guarded-fetch";
import type { Settings } from "../../config/index.ts";
import { decideAllowedCidrs, readAuthorities } from "../../webhooks/index.ts";

/** The rules of connections that users cause. */
export interface Outgoing {
  readonly policy: AddressPolicy;
  /** PEM texts of authorities that are trusted beside the system's. */
  readonly ca: string[];
  /** Null when the policy permits the URL. */
  findUrlFault(url: string): string | null;
}

/** `caFile`: the local certificate authority; webhook receivers on this machine may have certificates of it. */
export async function openOutgoing(settings: Settings, caFile: string | null): Promise<Outgoing> {
  const policy = createAddressPolicy({
    allowedCidrs: decideAllowedCidrs(settings),
    allowedPorts: settings.webhookAllowedPorts,
  });
  return {
    policy,
    ca: await readAuthorities({ localFile: caFile, ownFile: settings.webhookCaFile }),
    findUrlFault: (url) => {
      const checked = checkTargetUrl(url, policy);
      return checked.ok ? null : checked.reason;
    },
  };
}
