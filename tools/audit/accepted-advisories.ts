export interface AcceptedAdvisory {
  /** As in the URL of the advisory, such as GHSA-xxxx-xxxx-xxxx. */
  readonly id: string;
  readonly reason: string;
  /** The last day on which it is accepted, YYYY-MM-DD; afterwards it must be reviewed again. */
  readonly until: string;
}

/** Advisories of high or critical severity that do not affect us, each with the reason and an expiry date. */
export const ACCEPTED_ADVISORIES: readonly AcceptedAdvisory[] = [];
