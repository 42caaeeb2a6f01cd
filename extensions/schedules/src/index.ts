// In charge of: the times at which users have runs of agents started: schedules, their due times, their outcomes.
// Not in charge of: the admission of runs and who may start them, which the core decides.
export { extension } from "./extension.ts";
