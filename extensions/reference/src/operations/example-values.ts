/** Of things that do not exist, for examples. */
export const ID = {
  user: "0199f3a1-5c00-7a10-8000-00000000000a",
  swarm: "0199f3a1-5c00-7a10-8000-000000000001",
  agent: "0199f3a1-5c00-7a10-8000-000000000002",
  message: "0199f3a1-5c00-7a10-8000-000000000003",
  run: "0199f3a1-5c00-7a10-8000-000000000004",
  turn: "0199f3a1-5c00-7a10-8000-000000000005",
  tool: "0199f3a1-5c00-7a10-8000-000000000006",
  toolExecution: "0199f3a1-5c00-7a10-8000-000000000007",
  webhook: "0199f3a1-5c00-7a10-8000-00000000000c",
  delivery: "0199f3a1-5c00-7a10-8000-00000000000d",
  recovery: "0199f3a1-5c00-7a10-8000-00000000000e",
  factor: "0199f3a1-5c00-7a10-8000-00000000000f",
  challenge: "0199f3a1-5c00-7a10-8000-000000000010",
  passkey: "0199f3a1-5c00-7a10-8000-000000000011",
  session: "0199f3a1-5c00-7a10-8000-000000000012",
  membership: "0199f3a1-5c00-7a10-8000-000000000013",
  grant: "0199f3a1-5c00-7a10-8000-000000000014",
  schedule: "0199f3a1-5c00-7a10-8000-000000000015",
  trigger: "0199f3a1-5c00-7a10-8000-000000000016",
  triggerCall: "0199f3a1-5c00-7a10-8000-000000000017",
  oauthClient: "0199f3a1-5c00-7a10-8000-000000000018",
  apiKey: "0199f3a1-5c00-7a10-8000-000000000099",
} as const;

export const AT = "2026-11-15T12:00:00.000Z";

export const USER = {
  id: ID.user,
  aud: "authenticated",
  role: "authenticated",
  email: "ada@example.com",
  email_confirmed_at: AT,
  phone: "",
  confirmed_at: AT,
  last_sign_in_at: AT,
  app_metadata: { provider: "email", providers: ["email"] },
  user_metadata: { full_name: "Ada" },
  identities: [],
  created_at: AT,
  updated_at: AT,
  is_anonymous: false,
} as const;

export const SESSION = {
  access_token: "eyJhbGciOiJFUzI1NiIs…",
  token_type: "bearer",
  expires_in: 3600,
  expires_at: 1794747600,
  refresh_token: "AAGZ86FcAHoQ…",
  user: USER,
} as const;
