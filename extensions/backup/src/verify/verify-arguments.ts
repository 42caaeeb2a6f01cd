/** The command that the process which archives runs in the background. */
export const VERIFY_ARGUMENTS = ["backup", "--verify"] as const;
