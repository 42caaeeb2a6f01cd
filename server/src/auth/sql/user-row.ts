export interface UserRow {
  readonly id: string;
  readonly role: string;
  readonly email: string | null;
  readonly email_confirmed_at: Date | null;
  /** Gives rights only while it equals `email`. */
  readonly proven_email: string | null;
  readonly password_hash: string | null;
  readonly new_email: string | null;
  readonly email_change_confirmations: number;
  readonly invited_at: Date | null;
  readonly confirmation_sent_at: Date | null;
  readonly recovery_sent_at: Date | null;
  readonly email_change_sent_at: Date | null;
  readonly reauthentication_sent_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly app_metadata: Readonly<Record<string, unknown>>;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly is_anonymous: boolean;
  readonly banned_until: Date | null;
  readonly deleted_at: Date | null;
  /** A change removes what gives access to the account. */
  readonly access_removed_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface IdentityRow {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly provider_id: string;
  /** Of the ID token; null for the identity of an address, and for one that was imported until its owner signs in. */
  readonly issuer: string | null;
  readonly identity_data: Readonly<Record<string, unknown>>;
  readonly email: string | null;
  readonly last_sign_in_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface FactorRow {
  readonly id: string;
  readonly user_id: string;
  readonly friendly_name: string | null;
  readonly factor_type: "totp" | "webauthn" | "recovery_code";
  readonly status: "unverified" | "verified";
  /** The secret of an authenticator app, or the key of the hashes of recovery codes; null for WebAuthn. */
  readonly secret_wrapped: Buffer | null;
  readonly last_used_step: string | null;
  readonly last_challenged_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A user with its identities and factors. */
export interface WholeUser {
  readonly row: UserRow;
  readonly identities: readonly IdentityRow[];
  readonly factors: readonly FactorRow[];
}
