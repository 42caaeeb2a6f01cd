import { keepTlsCurrent, loadTlsMaterial, type TlsMaterial } from "../http/index.ts";
import type { Worker } from "../jobs/index.ts";
import type { NodeContext } from "./node-context.ts";

/** Reads the certificate files, and renews the local certificate when it is about to expire. */
export function loadCertificate({ settings, clock }: Pick<NodeContext, "settings" | "clock">): Promise<TlsMaterial> {
  const { dataDir, tlsCertFile: certFile, tlsKeyFile: keyFile } = settings;
  return loadTlsMaterial({ dataDir, certFile, keyFile, clock });
}

export interface Certificate {
  /** Null in proxy mode. */
  current(): TlsMaterial | null;
  /** Calls the listener with each new certificate, also with one that came before this call. */
  onCertificate(listener: (material: TlsMaterial) => void): void;
  /** Reads the files again. Files that cannot be used are reported, and the last ones stay in use. */
  reload(): Promise<void>;
  readonly workers: readonly Worker[];
}

/** The certificate of this node, which is kept current. */
export function openCertificate(
  context: Pick<NodeContext, "settings" | "clock" | "observer">,
  first: TlsMaterial | null,
): Certificate {
  if (first === null) return { current: () => null, onCertificate: () => {}, reload: async () => {}, workers: [] };
  const { observer } = context;
  const load = (): Promise<TlsMaterial> => loadCertificate(context);
  let current = first;
  let listener: (material: TlsMaterial) => void = () => {};
  const apply = (material: TlsMaterial): void => {
    current = material;
    listener(material);
  };
  return {
    current: () => current,
    onCertificate: (added) => {
      listener = added;
      if (current !== first) added(current);
    },
    reload: async () => {
      try {
        apply(await load());
      } catch (error) {
        observer.note("tls.reload_failed", { error });
      }
    },
    workers: [keepTlsCurrent({ first, observer, load, apply })],
  };
}
