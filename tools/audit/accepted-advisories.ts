export interface AcceptedAdvisory {
  /** As in the address of the advisory, such as GHSA-xxxx-xxxx-xxxx. */
  readonly id: string;
  readonly reason: string;
  /** The last day on which it is accepted, YYYY-MM-DD; from then on somebody has to look again. */
  readonly until: string;
}

/** Advisories of high or critical severity that do not concern us, each with why and until when we believe so. */
export const ACCEPTED_ADVISORIES: readonly AcceptedAdvisory[] = [];
