import { useOperatorRead, useOperatorWrite } from "./operator.ts";
import type { ReadResult } from "./rows.ts";
import type { Write } from "./write.ts";

export interface ServiceSetting {
  readonly name: string;
  readonly group: string;
  readonly is_of_extension: boolean;
  readonly description: string;
  readonly accepts: string;
  readonly is_secret: boolean;
  readonly is_set: boolean;
  /** Null for a secret, and when there is no value. */
  readonly value: string | null;
  readonly fallback: string | null;
}

export function useServiceSettings(): ReadResult<{ readonly settings: readonly ServiceSetting[] }> {
  return useOperatorRead("/settings");
}

export interface ServiceProvider {
  readonly framework: string;
  readonly name: string;
  readonly kind: string;
  readonly state: "ready" | "keyless" | "unconfigured";
  readonly has_key: boolean;
  readonly base_url: string | null;
  readonly default_model: string | null;
  readonly models: readonly string[];
  readonly fallback: readonly string[];
}

export interface ProviderTest {
  readonly is_ok: boolean;
  readonly model: string | null;
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  readonly answer: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly error_code: string | null;
  readonly message: string | null;
  readonly provider_status: number | null;
}

export function useServiceProviders(): ReadResult<{ readonly providers: readonly ServiceProvider[] }> {
  return useOperatorRead("/providers");
}

/** A model that is empty is the default of the provider. */
export function useTestProvider(framework: string): Write<string, { readonly test: ProviderTest }> {
  return useOperatorWrite("audit", (model) => ({
    method: "POST",
    path: `/providers/${encodeURIComponent(framework)}/test`,
    body: model === "" ? {} : { model },
  }));
}

export interface ServiceMail {
  readonly transport: {
    readonly via: "smtp" | "hook" | "files";
    readonly from: string;
    readonly folder: string | null;
  };
  readonly outbox: {
    readonly pending: number;
    readonly retrying: number;
    readonly failed: number;
    readonly oldest_pending_at: string | null;
  };
}

export interface MailTest {
  readonly is_ok: boolean;
  readonly to: string;
  readonly duration_ms: number;
  readonly message: string | null;
  readonly smtp_status: number | null;
}

export function useServiceMail(): ReadResult<ServiceMail> {
  return useOperatorRead("/mail");
}

export function useTestMail(): Write<void, { readonly test: MailTest }> {
  return useOperatorWrite("mail", () => ({ method: "POST", path: "/mail/test" }));
}

export interface ServiceNode {
  readonly node: string;
  readonly seen_at: string;
  readonly is_live: boolean;
  /** Absent for a process of an older release. */
  readonly version?: string;
  readonly started_at?: string;
  readonly roles?: readonly string[];
  readonly is_worker?: boolean;
  readonly memory_bytes?: number;
}

export interface ReplicationSlot {
  readonly name: string;
  readonly use: "feed" | "backup" | "other";
  readonly is_active: boolean;
  readonly lag_bytes: number | null;
  readonly kept_bytes: number | null;
}

export interface Backups {
  readonly is_loaded: boolean;
  readonly target: string | null;
  readonly base_interval_seconds: number | null;
  readonly wal_interval_seconds: number | null;
  readonly kept_bases: number | null;
  /** 0: only the command verifies. */
  readonly verify_interval_seconds: number | null;
  readonly node: string | null;
  readonly reported_at: string | null;
  readonly state: {
    readonly archived_at: string | null;
    readonly base_at: string | null;
    /** The archive can be restored to any time from then until `archived_at`. */
    readonly restorable_from: string | null;
    readonly kept_bytes: number | null;
    readonly failures: number;
    readonly failed_at: string | null;
    readonly verified_at: string | null;
    readonly verification: { readonly at: string; readonly is_ok: boolean } | null;
  } | null;
}

interface ServiceNodes {
  readonly nodes: readonly ServiceNode[];
  readonly slots: readonly ReplicationSlot[];
  readonly backups: Backups;
}

/** How often a process reports. */
const REPORT_MS = 15_000;

export function useServiceNodes(): ReadResult<ServiceNodes> {
  return useOperatorRead("/nodes", { everyMs: REPORT_MS });
}
