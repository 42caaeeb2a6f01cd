import type { FactorRow, IdentityRow, WholeUser } from "../sql/user-row.ts";

export type RenderedUser = Readonly<Record<string, unknown>>;

/** Renders the user for clients. Omits null members; e-mail and phone are empty strings instead. */
export function renderUser({ row, identities, factors }: WholeUser): RenderedUser {
  return leaveOutEmpty({
    id: row.id,
    aud: "authenticated",
    role: row.role,
    email: row.email ?? "",
    email_confirmed_at: row.email_confirmed_at,
    phone: "",
    invited_at: row.invited_at,
    confirmation_sent_at: row.confirmation_sent_at,
    confirmed_at: row.email_confirmed_at,
    recovery_sent_at: row.recovery_sent_at,
    new_email: row.new_email,
    email_change_sent_at: row.email_change_sent_at,
    reauthentication_sent_at: row.reauthentication_sent_at,
    last_sign_in_at: row.last_sign_in_at,
    app_metadata: row.app_metadata,
    user_metadata: row.user_metadata,
    identities: identities.map(renderIdentity),
    factors: factors.length > 0 ? factors.map(renderFactor) : null,
    banned_until: row.banned_until,
    deleted_at: row.deleted_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    is_anonymous: row.is_anonymous,
  });
}

function renderIdentity(row: IdentityRow): RenderedUser {
  return leaveOutEmpty({
    identity_id: row.id,
    id: row.provider_id,
    user_id: row.user_id,
    identity_data: row.identity_data,
    provider: row.provider,
    last_sign_in_at: row.last_sign_in_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    email: row.email,
  });
}

export function renderFactor(row: FactorRow): RenderedUser {
  return leaveOutEmpty({
    id: row.id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    status: row.status,
    friendly_name: row.friendly_name,
    factor_type: row.factor_type,
    last_challenged_at: row.last_challenged_at,
  });
}

function leaveOutEmpty(members: Record<string, unknown>): RenderedUser {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
