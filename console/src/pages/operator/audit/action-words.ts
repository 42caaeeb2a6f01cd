/** What an entry of the audit log says about calls that change something. */
const WORDS: Readonly<Record<string, string>> = {
  "users.limits": "Changed limits",
  "users.disable": "Disabled a user",
  "users.enable": "Enabled a user",
  "users.sign_out": "Signed out a user",
  "users.reset_factors": "Reset factors",
  "users.create": "Created a user",
  "users.invite": "Invited a user",
  "operators.add": "Made an operator",
  "operators.remove": "Removed an operator",
  "tables.edit": "Edited a row",
  "tables.import": "Imported rows",
  "tables.export": "Exported rows",
  "oauth_clients.create": "Registered a program",
  "oauth_clients.change": "Changed a program",
  "oauth_clients.new_secret": "Replaced the secret of a program",
  "oauth_clients.delete": "Deleted a program",
  "providers.test": "Tested a provider",
  "mail.test": "Sent a test mail",
  "sign_in_providers.check": "Checked a sign-in provider",
};

export const ACTION_CHOICES = Object.entries(WORDS).map(([value, label]) => ({ value, label }));

/** "Changed limits"; reads have no words of their own: "Read users". */
export function describeAction(action: string): string {
  return WORDS[action] ?? `Read ${(action.split(".")[0] ?? action).replaceAll("_", " ")}`;
}

const VALUES: Readonly<Record<string, string>> = {
  state: "State",
  imposed_daily_token_budget: "Tokens per day",
  imposed_daily_cost_budget_usd: "Cost per day (USD)",
  imposed_daily_runs: "Runs per day",
};

/** "Runs per day: 20 → none" */
export function describeChanges(
  changes: Readonly<Record<string, readonly [from: string | null, to: string | null]>> = {},
): readonly string[] {
  return Object.entries(changes).map(
    ([name, [from, to]]) => `${VALUES[name] ?? name}: ${from ?? "none"} → ${to ?? "none"}`,
  );
}
