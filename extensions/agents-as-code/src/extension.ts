import { defineExtension } from "swarmbase/extension";
import { checkAnswerRoute } from "./evals/check-answer-route.ts";

const WHO = `
Which service, and as whom (an option comes before its variable):
--url <url>         SWARMBASE_URL; default: the service of this data directory
--anon-key <key>    SWARMBASE_ANON_KEY; known for the service of this data directory
--ca <file>         SWARMBASE_CA_FILE: the certificate authority of the service in PEM
--email <address>   SWARMBASE_EMAIL, with SWARMBASE_PASSWORD: the user who owns the agents
                    SWARMBASE_ACCESS_TOKEN: the same, by a token
--owner <user>      SWARMBASE_OWNER, an e-mail address or id, with SWARMBASE_SERVICE_ROLE_KEY: the service role for that user;
                    not needed while there is only one account. \`apply\` creates the account of an address that nobody has`;

const CONNECTION = WHO.replace("\n\n", "\n\n--dir <folder>      the folder of the files; default: swarmbase\n");

const SECRETS = `
Secrets are references such as \${env:API_TOKEN}. They are read from the environment and are never printed.`;

/** The commands are loaded when they run: the service itself needs none of this. */
export const extension = defineExtension({
  name: "agents-as-code",
  summary:
    "agents, tools, swarms, webhooks, schedules and triggers as files (pull, plan, apply), and evals of agents (eval)",
  docs: new URL("../README.md", import.meta.url),
  routes: [checkAnswerRoute],
  commands: [
    {
      name: "pull",
      summary: "write agents, tools, swarms, webhooks, schedules and triggers of a service to files",
      help: `
Usage: swarmbase pull [--dir <folder>] [--yes] [--delete] [connection]

Writes one YAML file for each agent, tool, swarm, webhook, schedule and trigger of a user. Files that exist keep their names, keys, references and
comments; before a file is overwritten, the command asks.

--yes      does not ask
--delete   also removes the files of what the service does not have
${CONNECTION}
${SECRETS}`,
      run: async (context) => (await import("./commands/run-pull.ts")).runPull(context),
    },
    {
      name: "plan",
      summary: "show what apply would change",
      help: `
Usage: swarmbase plan [--dir <folder>] [--delete] [--write-secrets] [--detailed-exitcode] [connection]

Compares the files with the service and shows what is created (+), updated (~) and deleted (-). Changes nothing.

--delete             also plans the removal of what the files do not have
--write-secrets      writes the secrets of all tools again, which cannot be compared
--detailed-exitcode  exits with 0 when there are no changes, 2 when there are changes, and 1 when the command failed
${CONNECTION}
${SECRETS}`,
      run: async (context) => (await import("./commands/plan-command.ts")).runPlan(context),
    },
    {
      name: "apply",
      summary: "change a service so that it has what the files describe",
      help: `
Usage: swarmbase apply [--dir <folder>] [--yes] [--delete] [--write-secrets] [connection]

Shows the plan, asks, and makes the changes. A row that somebody changed after the plan was made is not overwritten. When a
change fails, those that do not depend on it are still made, the exit code is 1, and the next apply continues.

--yes            does not ask
--delete         also removes what the files do not have; without it, nothing is ever deleted
--write-secrets  writes the secrets of all tools again, after one of them was replaced
${CONNECTION}
${SECRETS}`,
      run: async (context) => (await import("./commands/run-apply.ts")).runApply(context),
    },
    {
      name: "eval",
      summary: "ask an agent the cases of a dataset, and compare the results with earlier ones",
      help: `
Usage: swarmbase eval <dataset> --agent <agent> [--version <number>] [--judge <agent>] [--baseline <id>] [--strict]
                      [--concurrency <number>] [--store] [--json] [connection]

Asks the agent each case of the dataset in a conversation of its own, and stores the results. A case that passed in the baseline
and fails now is a regression: the exit code is 1. The dataset is the name or id of one of yours, or a YAML or JSON file
with name and cases, from which the command first updates the dataset of that name.

--agent <agent>         the id or name of the agent
--version <number>      a version of the agent; default: the latest
--judge <agent>         the agent that decides about the cases of kind judge
--baseline <id>         the eval run to compare with; default: the latest completed one of this dataset and agent without a
                        regression
--strict                exits with 1 when any case fails
--concurrency <number>  how many cases run at a time, up to 8; default: 4
--store                 keeps each conversation as a swarm, with its trace
--json                  prints the results as JSON
${WHO}`,
      run: async (context) => (await import("./commands/run-eval-command.ts")).runEvalCommand(context),
    },
  ],
});
