/**
 * Words that readers look for, with the words of the pages for the same things. Each list is one meaning: a search for one of them also
 * finds the others.
 */
export const SYNONYMS: readonly (readonly string[])[] = [
  ["docker", "container", "image", "compose"],
  ["k8s", "kubernetes", "helm"],
  ["pricing", "price", "cost", "billing"],
  ["langchain", "langgraph", "llamaindex", "crewai", "openai-compatible api"],
  ["oauth", "oauth2", "oidc", "openid", "sso", "social"],
  ["passkey", "webauthn", "fido", "fido2", "yubikey"],
  ["login", "signin", "sign-in", "signing in"],
  ["signup", "sign-up", "register", "registration"],
  ["logout", "signout", "sign out"],
  ["2fa", "mfa", "totp", "two-factor", "second factor"],
  ["throttling", "throttle", "quota", "limits"],
  ["rls", "row-level", "permission", "policies"],
  ["websocket", "socket", "subscription", "realtime"],
  ["sse", "streaming", "stream"],
  ["hitl", "human-in-the-loop", "human in the loop", "approval"],
  ["multi-agent", "orchestration", "strategies"],
  ["llm", "gpt", "claude", "gemini", "ollama", "provider"],
  ["observability", "monitoring", "otel", "opentelemetry", "prometheus", "grafana"],
  ["cluster", "high availability", "failover", "several nodes"],
  ["env", "environment variable", "settings", "configuration"],
  ["quickstart", "getting started", "tutorial", "first five minutes"],
  ["gdpr", "erasure", "account-export", "export"],
  ["cron", "scheduled", "maintenance"],
  ["vercel", "ai sdk", "usechat"],
  ["upgrade", "update", "rolling"],
];
