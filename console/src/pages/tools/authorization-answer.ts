/** What the fragment of the address says after an authorization. */
type AuthorizationAnswer =
  | { readonly state: string; readonly code: string; readonly iss?: string }
  /** Why there is no code. */
  | { readonly refusal: string };

export function readAuthorizationAnswer(fragment: string): AuthorizationAnswer {
  const {
    state,
    code,
    iss,
    error,
    error_description: description,
  } = Object.fromEntries(new URLSearchParams(fragment.replace(/^#/, "")));
  if (state !== undefined && code !== undefined) return { state, code, ...(iss !== undefined && { iss }) };
  if (error === "access_denied") return { refusal: "You did not agree." };
  return { refusal: description ?? error ?? "The address has no answer of the server." };
}
