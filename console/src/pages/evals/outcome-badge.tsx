import type { EvalResult } from "../../data/eval-runs.ts";
import { Badge } from "../../components/badge.tsx";

export function OutcomeBadge({ result }: { readonly result: EvalResult }) {
  if (result.passed) return <Badge tone="good">Passed</Badge>;
  return <Badge tone="bad">{result.is_regression ? "Regression" : "Failed"}</Badge>;
}
