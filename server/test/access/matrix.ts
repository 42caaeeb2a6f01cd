/**
 * Who may do what, on the database itself: one line for each table or view and operation, one column for each caller.
 *
 * Callers
 *   owner     owns what the line is about: the swarm, the agent, the tool, the webhook, the profile
 *   admin, member, viewer   take part in the owner's swarm with that role; the member has agents of their own in it
 *   invited   has an invitation to the swarm and has not accepted it
 *   stranger  is signed in and has nothing to do with any of it
 *   anon      has no token of a user
 *   service   acts with the service role, over the interface
 *   internal  is the service's own work (queue, identity, status machine), which no request reaches
 *
 * Cells
 *   yes    does it
 *   -      no error, and sees or changes nothing
 *   no     refused as a matter of rights
 *   none   is told that what the new row points at does not exist
 *   never  refused for another reason: the value is fixed, made by the service, or the view cannot be written
 *
 * Lines without further words are about the owner's own row. The statement behind a line is in operations.ts.
 */
export const MATRIX = `
table or view                    | operation                         | owner admin member viewer invited stranger anon  service internal

public.profiles                  | select                            | yes   -     -      -      -       -        no    yes     yes
public.profiles                  | insert                            | no    no    no     no     no      no       no    yes     yes
public.profiles                  | update                            | yes   -     -      -      -       -        no    yes     yes
public.profiles                  | delete                            | no    no    no     no     no      no       no    yes     yes
public.profiles                  | update e-mail                     | never -     -      -      -       -        no    never   yes
public.profiles                  | update id                         | never -     -      -      -       -        no    never   yes

public.public_profiles           | select                            | yes   yes   yes    yes    -       -        no    yes     no
public.public_profiles           | insert                            | no    no    no     no     no      no       no    no      no
public.public_profiles           | update                            | no    no    no     no     no      no       no    no      no
public.public_profiles           | delete                            | no    no    no     no     no      no       no    no      no
public.public_profiles           | select invited                    | -     -     -      -      yes     -        no    yes     no
public.public_profiles           | select stranger                   | -     -     -      -      -       yes      no    yes     no

public.user_settings             | select                            | yes   -     -      -      -       -        no    yes     yes
public.user_settings             | insert                            | no    no    no     no     no      no       no    yes     yes
public.user_settings             | update                            | yes   -     -      -      -       -        no    yes     yes
public.user_settings             | delete                            | no    no    no     no     no      no       no    yes     yes
public.user_settings             | update owner                      | no    -     -      -      -       -        no    no      no

public.api_keys                  | select                            | yes   -     -      -      -       -        no    yes     yes
public.api_keys                  | select program                    | -     -     -      -      -       -        no    yes     yes
public.api_keys                  | insert                            | no    no    no     no     no      no       no    no      yes
public.api_keys                  | update                            | no    no    no     no     no      no       no    no      yes
public.api_keys                  | delete                            | no    no    no     no     no      no       no    no      yes

public.eval_datasets             | select                            | yes   -     -      -      -       -        no    yes     yes
public.eval_datasets             | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.eval_datasets             | update                            | yes   -     -      -      -       -        no    yes     yes
public.eval_datasets             | delete                            | yes   -     -      -      -       -        no    yes     yes
public.eval_datasets             | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.eval_datasets             | update owner                      | no    -     -      -      -       -        no    no      no
public.eval_datasets             | update id                         | never -     -      -      -       -        no    never   never

public.eval_cases                | select                            | yes   -     -      -      -       -        no    yes     yes
public.eval_cases                | insert                            | yes   none  none   none   none    none     no    none    none
public.eval_cases                | update                            | yes   -     -      -      -       -        no    yes     yes
public.eval_cases                | delete                            | yes   -     -      -      -       -        no    yes     yes
public.eval_cases                | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.eval_cases                | update dataset                    | never -     -      -      -       -        no    never   never
public.eval_cases                | update owner                      | no    -     -      -      -       -        no    no      no

public.eval_runs                 | select                            | yes   -     -      -      -       -        no    yes     yes
public.eval_runs                 | insert                            | yes   none  none   none   none    none     no    none    none
public.eval_runs                 | update                            | yes   -     -      -      -       -        no    yes     yes
public.eval_runs                 | delete                            | yes   -     -      -      -       -        no    yes     yes
public.eval_runs                 | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.eval_runs                 | insert foreign agent              | none  no    no     no     no      no       no    none    none
public.eval_runs                 | update baseline                   | none  -     -      -      -       -        no    none    none
public.eval_runs                 | update owner                      | no    -     -      -      -       -        no    no      no

public.eval_results              | select                            | yes   -     -      -      -       -        no    yes     yes
public.eval_results              | insert                            | yes   none  none   none   none    none     no    none    none
public.eval_results              | update                            | yes   -     -      -      -       -        no    yes     yes
public.eval_results              | delete                            | yes   -     -      -      -       -        no    yes     yes
public.eval_results              | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.eval_results              | update owner                      | no    -     -      -      -       -        no    no      no

public.webhooks                  | select                            | yes   -     -      -      -       -        no    yes     yes
public.webhooks                  | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.webhooks                  | update                            | yes   -     -      -      -       -        no    yes     yes
public.webhooks                  | delete                            | yes   -     -      -      -       -        no    yes     yes
public.webhooks                  | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.webhooks                  | insert with secret                | never never never  never  never   never    no    never   never
public.webhooks                  | update owner                      | no    -     -      -      -       -        no    no      no
public.webhooks                  | update secret                     | never -     -      -      -       -        no    never   yes
public.webhooks                  | receive app events                | no    -     -      -      -       -        no    yes     yes

public.event_feeds               | select                            | yes   -     -      -      -       -        no    yes     yes
public.event_feeds               | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.event_feeds               | update                            | yes   -     -      -      -       -        no    yes     yes
public.event_feeds               | delete                            | yes   -     -      -      -       -        no    yes     yes
public.event_feeds               | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.event_feeds               | update owner                      | no    -     -      -      -       -        no    no      no
public.event_feeds               | receive app events                | no    -     -      -      -       -        no    yes     yes

public.event_types               | select                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.event_types               | insert                            | no    no    no     no     no      no       no    yes     yes
public.event_types               | update                            | no    no    no     no     no      no       no    yes     yes
public.event_types               | delete                            | no    no    no     no     no      no       no    yes     yes
public.event_types               | select unlisted                   | -     -     -      -      -       -        no    yes     yes
public.event_types               | emit                              | yes   yes   yes    yes    yes     yes      no    yes     no
public.event_types               | emit in swarm                     | yes   yes   yes    yes    no      no       no    yes     no
public.event_types               | emit for owner                    | yes   no    no     no     no      no       no    yes     no
public.event_types               | emit for nobody                   | no    no    no     no     no      no       no    yes     no
public.event_types               | emit what only the service may    | no    no    no     no     no      no       no    yes     no

public.webhook_deliveries        | select                            | yes   -     -      -      -       -        no    yes     yes
public.webhook_deliveries        | insert                            | no    no    no     no     no      no       no    yes     yes
public.webhook_deliveries        | update                            | no    no    no     no     no      no       no    yes     yes
public.webhook_deliveries        | delete                            | no    no    no     no     no      no       no    yes     yes

public.webhook_delivery_attempts | select                            | yes   -     -      -      -       -        no    yes     yes
public.webhook_delivery_attempts | insert                            | no    no    no     no     no      no       no    yes     yes
public.webhook_delivery_attempts | update                            | no    no    no     no     no      no       no    yes     yes
public.webhook_delivery_attempts | delete                            | no    no    no     no     no      no       no    yes     yes

public.webhook_recoveries        | select                            | yes   -     -      -      -       -        no    yes     yes
public.webhook_recoveries        | insert                            | no    no    no     no     no      no       no    yes     yes
public.webhook_recoveries        | update                            | no    no    no     no     no      no       no    yes     yes
public.webhook_recoveries        | delete                            | no    no    no     no     no      no       no    yes     yes

public.webhook_previous_secrets  | select                            | yes   -     -      -      -       -        no    yes     no
public.webhook_previous_secrets  | insert                            | never never never  never  never   never    never never   never
public.webhook_previous_secrets  | update                            | never never never  never  never   never    never never   never
public.webhook_previous_secrets  | delete                            | never never never  never  never   never    never never   never

public.webhook_backlog           | select                            | yes   -     -      -      -       -        no    yes     no
public.webhook_backlog           | insert                            | never never never  never  never   never    never never   never
public.webhook_backlog           | update                            | never never never  never  never   never    never never   never
public.webhook_backlog           | delete                            | never never never  never  never   never    never never   never

public.event_feed_backlog        | select                            | yes   -     -      -      -       -        no    yes     no
public.event_feed_backlog        | insert                            | never never never  never  never   never    never never   never
public.event_feed_backlog        | update                            | never never never  never  never   never    never never   never
public.event_feed_backlog        | delete                            | never never never  never  never   never    never never   never

public.agents                    | select                            | yes   -     -      -      -       -        no    yes     yes
public.agents                    | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.agents                    | update                            | yes   -     -      -      -       -        no    yes     yes
public.agents                    | delete                            | yes   -     -      -      -       -        no    yes     yes
public.agents                    | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.agents                    | update owner                      | no    -     -      -      -       -        no    no      no
public.agents                    | update id                         | never -     -      -      -       -        no    never   never
public.agents                    | vouch                             | no    -     -      -      -       -        no    yes     yes
public.agents                    | insert vouched                    | no    no    no     no     no      no       no    yes     yes

public.agent_grants              | select                            | yes   -     -      -      -       -        no    yes     yes
public.agent_grants              | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.agent_grants              | update                            | yes   -     -      -      -       -        no    yes     yes
public.agent_grants              | delete                            | yes   -     -      -      -       -        no    yes     yes
public.agent_grants              | insert foreign agent              | yes   no    no     no     no      no       no    yes     yes
public.agent_grants              | insert for everyone               | no    no    no     no     no      no       no    yes     yes
public.agent_grants              | update agent                      | never -     -      -      -       -        no    never   never
public.agent_grants              | update user                       | never -     -      -      -       -        no    never   never
public.agent_grants              | accept                            | -     -     -      -      -       -        no    -       yes

public.published_agents          | select                            | -     -     yes    -      -       -        no    -       no
public.published_agents          | insert                            | never never never  never  never   never    never never   never
public.published_agents          | update                            | never never never  never  never   never    never never   never
public.published_agents          | delete                            | never never never  never  never   never    never never   never

public.agent_offers              | select                            | -     -     -      yes    -       -        no    -       no
public.agent_offers              | insert                            | never never never  never  never   never    never never   never
public.agent_offers              | update                            | never never never  never  never   never    never never   never
public.agent_offers              | delete                            | never never never  never  never   never    never never   never

public.agent_customers           | select                            | yes   -     -      -      -       -        no    yes     no
public.agent_customers           | insert                            | never never never  never  never   never    never never   never
public.agent_customers           | update                            | never never never  never  never   never    never never   never
public.agent_customers           | delete                            | never never never  never  never   never    never never   never

public.customer_turns            | select                            | yes   -     -      -      -       -        no    yes     no
public.customer_turns            | insert                            | never never never  never  never   never    never never   never
public.customer_turns            | update                            | never never never  never  never   never    never never   never
public.customer_turns            | delete                            | never never never  never  never   never    never never   never

public.agent_cards               | select                            | yes   yes   yes    yes    -       -        no    yes     no
public.agent_cards               | insert                            | no    no    no     no     no      no       no    no      no
public.agent_cards               | update                            | no    no    no     no     no      no       no    no      no
public.agent_cards               | delete                            | no    no    no     no     no      no       no    no      no
public.agent_cards               | select not in the swarm           | yes   -     -      -      -       -        no    yes     no

public.models                    | select                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.models                    | insert                            | no    no    no     no     no      no       no    no      no
public.models                    | update                            | no    no    no     no     no      no       no    no      no
public.models                    | delete                            | no    no    no     no     no      no       no    no      no

public.tools                     | select                            | yes   -     -      -      -       -        no    yes     yes
public.tools                     | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.tools                     | update                            | yes   -     -      -      -       -        no    yes     yes
public.tools                     | delete                            | yes   -     -      -      -       -        no    yes     yes
public.tools                     | select shared                     | yes   yes   yes    yes    -       -        no    yes     yes
public.tools                     | select public                     | yes   yes   yes    yes    yes     yes      no    yes     yes
public.tools                     | select built-in                   | yes   yes   yes    yes    yes     yes      no    yes     yes
public.tools                     | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.tools                     | insert for nobody                 | no    no    no     no     no      no       no    never   never
public.tools                     | insert built-in                   | no    no    no     no     no      no       no    yes     yes
public.tools                     | insert public                     | no    no    no     no     no      no       no    yes     yes
public.tools                     | update shared                     | yes   -     -      -      -       -        no    yes     yes
public.tools                     | update public                     | -     -     -      -      -       -        no    yes     yes
public.tools                     | update built-in                   | -     -     -      -      -       -        no    yes     yes
public.tools                     | update to public                  | no    -     -      -      -       -        no    yes     yes
public.tools                     | update owner                      | no    -     -      -      -       -        no    no      no
public.tools                     | delete shared                     | yes   -     -      -      -       -        no    yes     yes
public.tools                     | delete built-in                   | -     -     -      -      -       -        no    yes     yes
public.tools                     | vouch                             | -     -     -      -      -       -        no    yes     yes
public.tools                     | insert vouched                    | -     -     -      -      -       -        no    yes     yes
public.tools                     | change vouched                    | -     -     -      -      -       -        no    yes     yes

public.agent_versions            | select                            | yes   -     -      -      -       -        no    yes     yes
public.agent_versions            | insert                            | no    no    no     no     no      no       no    no      yes
public.agent_versions            | update                            | no    no    no     no     no      no       no    no      yes
public.agent_versions            | delete                            | no    no    no     no     no      no       no    no      yes
public.agent_versions            | restore by function               | yes   none  none   none   none    none     no    yes     no

public.agent_tools               | select                            | yes   -     -      -      -       -        no    yes     yes
public.agent_tools               | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.agent_tools               | update                            | yes   -     -      -      -       -        no    yes     yes
public.agent_tools               | delete                            | yes   -     -      -      -       -        no    yes     yes
public.agent_tools               | insert private tool               | yes   no    no     no     no      no       no    yes     yes
public.agent_tools               | insert shared tool                | yes   yes   yes    yes    no      no       no    yes     yes
public.agent_tools               | insert public tool                | yes   yes   yes    yes    yes     yes      no    yes     yes
public.agent_tools               | insert foreign agent              | yes   no    no     no     no      no       no    yes     yes
public.agent_tools               | insert for owner                  | yes   -     -      -      -       -        no    -       -
public.agent_tools               | update agent                      | never -     -      -      -       -        no    never   never
public.agent_tools               | update tool                       | never -     -      -      -       -        no    never   never
public.agent_tools               | update owner                      | no    -     -      -      -       -        no    no      no
public.agent_tools               | vouch                             | -     -     -      -      -       -        no    yes     yes
public.agent_tools               | insert vouched                    | -     -     -      -      -       -        no    yes     yes
public.agent_tools               | change vouched                    | -     -     -      -      -       -        no    yes     yes
public.agent_tools               | update approver                   | yes   -     -      -      -       -        no    yes     yes

public.swarms                    | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.swarms                    | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.swarms                    | update                            | yes   yes   -      -      -       -        no    yes     yes
public.swarms                    | delete                            | yes   -     -      -      -       -        no    yes     yes
public.swarms                    | insert for owner                  | yes   no    no     no     no      no       no    yes     yes
public.swarms                    | update owner                      | no    no    -      -      -       -        no    no      no
public.swarms                    | take over                         | yes   no    -      -      -       -        no    no      no
public.swarms                    | update coordinator                | yes   yes   -      -      -       -        no    yes     yes
public.swarms                    | coordinator from outside          | never never -      -      -       -        no    never   never
public.swarms                    | select sub-task                   | -     -     -      -      -       -        no    yes     yes
public.swarms                    | insert sub-task                   | no    no    no     no     no      no       no    yes     yes
public.swarms                    | update sub-task                   | -     -     -      -      -       -        no    yes     yes
public.swarms                    | delete sub-task                   | -     -     -      -      -       -        no    yes     yes
public.swarms                    | update parent                     | never never -      -      -       -        no    never   never

public.swarm_members             | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.swarm_members             | insert                            | yes   yes   no     no     no      no       no    yes     yes
public.swarm_members             | update                            | yes   yes   no     -      -       -        no    yes     yes
public.swarm_members             | delete                            | yes   yes   yes    -      -       -        no    yes     yes
public.swarm_members             | select invitation                 | yes   yes   yes    yes    yes     -        no    yes     yes
public.swarm_members             | select e-mail invitation          | yes   yes   yes    yes    yes     -        no    yes     yes
public.swarm_members             | insert oneself                    | no    no    no     no     no      no       no    yes     yes
public.swarm_members             | insert into sub-task              | no    no    no     no     no      no       no    no      no
public.swarm_members             | insert e-mail                     | yes   yes   no     no     no      no       no    yes     yes
public.swarm_members             | insert admin                      | yes   yes   no     no     no      no       no    yes     yes
public.swarm_members             | insert owner                      | no    no    no     no     no      no       no    never   never
public.swarm_members             | insert as active                  | -     -     no     no     no      no       no    yes     yes
public.swarm_members             | update role to owner              | no    no    no     -      -       -        no    never   never
public.swarm_members             | update own role                   | -     yes   no     no     no      -        no    -       -
public.swarm_members             | update role of owner              | -     -     -      -      -       -        no    yes     yes
public.swarm_members             | accept invitation                 | no    no    -      -      yes     -        no    yes     yes
public.swarm_members             | accept e-mail invitation          | no    no    -      -      yes     -        no    never   never
public.swarm_members             | accept as admin                   | no    no    -      -      no      -        no    yes     yes
public.swarm_members             | update swarm                      | never never never  -      -       -        no    never   yes
public.swarm_members             | update user                       | never never never  -      -       -        no    never   yes
public.swarm_members             | delete own                        | -     yes   yes    yes    yes     -        no    -       -
public.swarm_members             | delete owner                      | -     -     -      -      -       -        no    yes     yes
public.swarm_members             | delete invitation                 | yes   yes   -      -      yes     -        no    yes     yes
public.swarm_members             | delete e-mail invitation          | yes   yes   -      -      yes     -        no    yes     yes

public.swarm_invitations         | select                            | -     -     -      -      yes     -        no    yes     no
public.swarm_invitations         | insert                            | never never never  never  never   never    never never   never
public.swarm_invitations         | update                            | never never never  never  never   never    never never   never
public.swarm_invitations         | delete                            | never never never  never  never   never    never never   never
public.swarm_invitations         | select by e-mail                  | -     -     -      -      yes     -        no    yes     no

public.swarm_agents              | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.swarm_agents              | insert                            | yes   yes   no     no     no      no       no    yes     yes
public.swarm_agents              | update                            | yes   yes   -      -      -       -        no    yes     yes
public.swarm_agents              | delete                            | yes   yes   -      -      -       -        no    yes     yes
public.swarm_agents              | insert foreign agent              | no    no    no     no     no      no       no    yes     yes
public.swarm_agents              | insert into sub-task              | no    no    no     no     no      no       no    no      no
public.swarm_agents              | disable member's                  | yes   yes   yes    -      -       -        no    yes     yes
public.swarm_agents              | enable member's                   | yes   yes   no     -      -       -        no    yes     yes
public.swarm_agents              | update member's                   | yes   yes   no     -      -       -        no    yes     yes
public.swarm_agents              | update swarm                      | never never never  -      -       -        no    never   never
public.swarm_agents              | update agent                      | never never never  -      -       -        no    never   never
public.swarm_agents              | delete member's                   | yes   yes   yes    -      -       -        no    yes     yes

public.messages                  | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.messages                  | insert                            | yes   yes   yes    no     no      no       no    yes     yes
public.messages                  | update                            | yes   -     -      -      -       -        no    yes     yes
public.messages                  | delete                            | yes   yes   -      -      -       -        no    yes     yes
public.messages                  | select tombstone                  | yes   yes   yes    yes    -       -        no    yes     yes
public.messages                  | select sub-task                   | -     -     -      -      -       -        no    yes     yes
public.messages                  | select own sub-task               | yes   -     -      -      -       -        no    yes     yes
public.messages                  | insert into sub-task              | no    no    no     no     no      no       no    yes     yes
public.messages                  | insert for owner                  | yes   -     -      no     no      no       no    yes     yes
public.messages                  | insert for agent                  | -     -     -      no     no      no       no    yes     yes
public.messages                  | update own message                | yes   yes   yes    -      -       -        no    yes     yes
public.messages                  | update foreign message            | -     -     yes    -      -       -        no    yes     yes
public.messages                  | update agent's message            | -     -     -      -      -       -        no    yes     yes
public.messages                  | update tombstone                  | -     -     -      -      -       -        no    yes     yes
public.messages                  | update sender                     | -     -     never  -      -       -        no    yes     yes
public.messages                  | update swarm                      | -     -     never  -      -       -        no    never   never
public.messages                  | update flagged                    | -     -     never  -      -       -        no    yes     yes
public.messages                  | delete own message                | yes   yes   yes    yes    -       -        no    yes     yes
public.messages                  | delete foreign message            | yes   yes   yes    -      -       -        no    yes     yes
public.messages                  | delete agent's message            | yes   yes   -      -      -       -        no    yes     yes
public.messages                  | delete tombstone                  | -     -     -      -      -       -        no    yes     yes

public.message_revisions         | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.message_revisions         | insert                            | no    no    no     no     no      no       no    yes     yes
public.message_revisions         | update                            | no    no    no     no     no      no       no    yes     yes
public.message_revisions         | delete                            | no    no    no     no     no      no       no    yes     yes

public.conversation_summaries    | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.conversation_summaries    | insert                            | no    no    no     no     no      no       no    yes     yes
public.conversation_summaries    | update                            | no    no    no     no     no      no       no    yes     yes
public.conversation_summaries    | delete                            | yes   yes   -      -      -       -        no    yes     yes

public.message_flags             | select                            | yes   yes   yes    -      -       -        no    yes     yes
public.message_flags             | insert                            | yes   yes   yes    yes    none    none     no    yes     yes
public.message_flags             | update                            | yes   yes   -      -      -       -        no    yes     yes
public.message_flags             | delete                            | -     -     yes    -      -       -        no    yes     yes
public.message_flags             | insert for owner                  | yes   -     -      -      none    none     no    yes     yes
public.message_flags             | insert as moderation              | -     -     -      -      none    none     no    yes     yes
public.message_flags             | insert as guardrail               | -     -     -      -      none    none     no    yes     yes
public.message_flags             | update reason                     | never never -      -      -       -        no    never   yes
public.message_flags             | update guardrail                  | never never -      -      -       -        no    never   yes
public.message_flags             | update message                    | never never -      -      -       -        no    never   yes
public.message_flags             | delete resolved                   | -     -     -      -      -       -        no    yes     yes

public.read_positions            | select                            | yes   -     -      -      -       -        no    yes     yes
public.read_positions            | insert                            | yes   yes   yes    yes    no      no       no    yes     yes
public.read_positions            | update                            | yes   -     -      -      -       -        no    yes     yes
public.read_positions            | delete                            | yes   -     -      -      -       -        no    yes     yes
public.read_positions            | insert for newcomer               | no    no    no     no     no      no       no    yes     yes
public.read_positions            | update foreign                    | -     -     yes    -      -       -        no    yes     yes
public.read_positions            | update swarm                      | never -     -      -      -       -        no    never   never
public.read_positions            | update user                       | no    -     -      -      -       -        no    no      no

public.guardrails                | select                            | yes   -     -      -      -       -        no    yes     yes
public.guardrails                | insert                            | yes   yes   yes    yes    yes     yes      no    yes     yes
public.guardrails                | update                            | yes   -     -      -      -       -        no    yes     yes
public.guardrails                | delete                            | yes   -     -      -      -       -        no    yes     yes
public.guardrails                | insert foreign agent              | yes   no    no     no     no      no       no    yes     yes
public.guardrails                | update agent                      | never -     -      -      -       -        no    never   never
public.guardrails                | update secret                     | -     -     -      -      -       -        no    -       -
public.guardrails                | select of swarm                   | yes   yes   -      -      -       -        no    yes     yes
public.guardrails                | insert of swarm                   | yes   yes   no     no     no      no       no    yes     yes
public.guardrails                | update of swarm                   | yes   yes   -      -      -       -        no    yes     yes
public.guardrails                | delete of swarm                   | yes   yes   -      -      -       -        no    yes     yes

public.runs                      | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.runs                      | insert                            | no    no    no     no     no      no       no    yes     yes
public.runs                      | update                            | no    no    no     no     no      no       no    yes     yes
public.runs                      | delete                            | no    no    no     no     no      no       no    yes     yes
public.runs                      | select sub-task                   | -     -     -      -      -       -        no    yes     yes
public.runs                      | select own sub-task               | yes   -     -      -      -       -        no    yes     yes

public.run_turns                 | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.run_turns                 | insert                            | no    no    no     no     no      no       no    yes     yes
public.run_turns                 | update                            | no    no    no     no     no      no       no    yes     yes
public.run_turns                 | delete                            | no    no    no     no     no      no       no    yes     yes

public.tool_executions           | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.tool_executions           | insert                            | no    no    no     no     no      no       no    yes     yes
public.tool_executions           | update                            | no    no    no     no     no      no       no    yes     yes
public.tool_executions           | delete                            | no    no    no     no     no      no       no    yes     yes
public.tool_executions           | approve own agent's               | no    no    no     no     no      no       no    yes     yes

public.tool_execution_payloads   | select                            | yes   yes   -      -      -       -        no    yes     yes
public.tool_execution_payloads   | insert                            | no    no    no     no     no      no       no    yes     yes
public.tool_execution_payloads   | update                            | no    no    no     no     no      no       no    yes     yes
public.tool_execution_payloads   | delete                            | no    no    no     no     no      no       no    yes     yes
public.tool_execution_payloads   | select member's agent             | yes   yes   yes    -      -       -        no    yes     yes
public.tool_execution_payloads   | select member's alone             | -     -     yes    -      -       -        no    yes     yes
public.tool_execution_payloads   | select stranger's alone           | -     -     -      -      -       -        no    yes     yes

public.model_calls               | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.model_calls               | insert                            | no    no    no     no     no      no       no    yes     yes
public.model_calls               | update                            | no    no    no     no     no      no       no    yes     yes
public.model_calls               | delete                            | no    no    no     no     no      no       no    yes     yes

public.model_call_prompts        | select                            | yes   -     -      -      -       -        no    yes     yes
public.model_call_prompts        | insert                            | no    no    no     no     no      no       no    yes     yes
public.model_call_prompts        | update                            | no    no    no     no     no      no       no    yes     yes
public.model_call_prompts        | delete                            | no    no    no     no     no      no       no    yes     yes
public.model_call_prompts        | select member's agent             | -     -     yes    -      -       -        no    yes     yes

public.run_events                | select                            | yes   yes   yes    yes    -       -        no    yes     yes
public.run_events                | insert                            | no    no    no     no     no      no       no    yes     yes
public.run_events                | update                            | no    no    no     no     no      no       no    yes     yes
public.run_events                | delete                            | no    no    no     no     no      no       no    yes     yes
public.run_events                | select restricted                 | yes   yes   -      -      -       -        no    yes     yes
public.run_events                | select restricted, member's agent | yes   yes   yes    -      -       -        no    yes     yes

public.usage_records             | select                            | yes   -     yes    -      -       -        no    yes     yes
public.usage_records             | insert                            | no    no    no     no     no      no       no    yes     yes
public.usage_records             | update                            | no    no    no     no     no      no       no    yes     yes
public.usage_records             | delete                            | no    no    no     no     no      no       no    yes     yes

public.usage_daily               | select                            | yes   -     yes    -      -       -        no    yes     no
public.usage_daily               | insert                            | never never never  never  never   never    never never   never
public.usage_daily               | update                            | never never never  never  never   never    never never   never
public.usage_daily               | delete                            | never never never  never  never   never    never never   never

auth.users                       | select                            | no    no    no     no     no      no       no    no      yes
auth.users                       | insert                            | no    no    no     no     no      no       no    no      yes
auth.users                       | update                            | no    no    no     no     no      no       no    no      yes
auth.users                       | delete                            | no    no    no     no     no      no       no    no      yes

auth.identities                  | select                            | no    no    no     no     no      no       no    no      yes
auth.identities                  | insert                            | no    no    no     no     no      no       no    no      yes
auth.identities                  | update                            | no    no    no     no     no      no       no    no      yes
auth.identities                  | delete                            | no    no    no     no     no      no       no    no      yes

auth.sessions                    | select                            | no    no    no     no     no      no       no    no      yes
auth.sessions                    | insert                            | no    no    no     no     no      no       no    no      yes
auth.sessions                    | update                            | no    no    no     no     no      no       no    no      yes
auth.sessions                    | delete                            | no    no    no     no     no      no       no    no      yes

auth.one_time_tokens             | select                            | no    no    no     no     no      no       no    no      yes
auth.one_time_tokens             | insert                            | no    no    no     no     no      no       no    no      yes
auth.one_time_tokens             | update                            | no    no    no     no     no      no       no    no      yes
auth.one_time_tokens             | delete                            | no    no    no     no     no      no       no    no      yes

auth.mfa_factors                 | select                            | no    no    no     no     no      no       no    no      yes
auth.mfa_factors                 | insert                            | no    no    no     no     no      no       no    no      yes
auth.mfa_factors                 | update                            | no    no    no     no     no      no       no    no      yes
auth.mfa_factors                 | delete                            | no    no    no     no     no      no       no    no      yes

auth.mfa_recovery_codes          | select                            | no    no    no     no     no      no       no    no      yes
auth.mfa_recovery_codes          | insert                            | no    no    no     no     no      no       no    no      yes
auth.mfa_recovery_codes          | update                            | no    no    no     no     no      no       no    no      yes
auth.mfa_recovery_codes          | delete                            | no    no    no     no     no      no       no    no      yes

auth.audit_log_entries           | select                            | no    no    no     no     no      no       no    no      yes
auth.audit_log_entries           | insert                            | no    no    no     no     no      no       no    no      yes
auth.audit_log_entries           | update                            | no    no    no     no     no      no       no    no      yes
auth.audit_log_entries           | delete                            | no    no    no     no     no      no       no    no      yes

auth.mfa_challenges              | select                            | no    no    no     no     no      no       no    no      yes
auth.mfa_challenges              | insert                            | no    no    no     no     no      no       no    no      yes
auth.mfa_challenges              | update                            | no    no    no     no     no      no       no    no      yes
auth.mfa_challenges              | delete                            | no    no    no     no     no      no       no    no      yes

auth.webauthn_credentials        | select                            | no    no    no     no     no      no       no    no      yes
auth.webauthn_credentials        | insert                            | no    no    no     no     no      no       no    no      yes
auth.webauthn_credentials        | update                            | no    no    no     no     no      no       no    no      yes
auth.webauthn_credentials        | delete                            | no    no    no     no     no      no       no    no      yes

auth.webauthn_challenges         | select                            | no    no    no     no     no      no       no    no      yes
auth.webauthn_challenges         | insert                            | no    no    no     no     no      no       no    no      yes
auth.webauthn_challenges         | update                            | no    no    no     no     no      no       no    no      yes
auth.webauthn_challenges         | delete                            | no    no    no     no     no      no       no    no      yes

auth.flow_states                 | select                            | no    no    no     no     no      no       no    no      yes
auth.flow_states                 | insert                            | no    no    no     no     no      no       no    no      yes
auth.flow_states                 | update                            | no    no    no     no     no      no       no    no      yes
auth.flow_states                 | delete                            | no    no    no     no     no      no       no    no      yes
auth.oauth_clients               | select                            | no    no    no     no     no      no       no    no      yes
auth.oauth_clients               | insert                            | no    no    no     no     no      no       no    no      yes
auth.oauth_clients               | update                            | no    no    no     no     no      no       no    no      yes
auth.oauth_clients               | delete                            | no    no    no     no     no      no       no    no      none

auth.oauth_consents              | select                            | no    no    no     no     no      no       no    no      yes
auth.oauth_consents              | insert                            | no    no    no     no     no      no       no    no      yes
auth.oauth_consents              | update                            | no    no    no     no     no      no       no    no      yes
auth.oauth_consents              | delete                            | no    no    no     no     no      no       no    no      yes

auth.oauth_sessions              | select                            | no    no    no     no     no      no       no    no      yes
auth.oauth_sessions              | insert                            | no    no    no     no     no      no       no    no      yes
auth.oauth_sessions              | update                            | no    no    no     no     no      no       no    no      yes
auth.oauth_sessions              | delete                            | no    no    no     no     no      no       no    no      yes

auth.oauth_authorizations        | select                            | no    no    no     no     no      no       no    no      yes
auth.oauth_authorizations        | insert                            | no    no    no     no     no      no       no    no      yes
auth.oauth_authorizations        | update                            | no    no    no     no     no      no       no    no      yes
auth.oauth_authorizations        | delete                            | no    no    no     no     no      no       no    no      yes

auth.sign_in_flows               | select                            | no    no    no     no     no      no       no    no      yes
auth.sign_in_flows               | insert                            | no    no    no     no     no      no       no    no      yes
auth.sign_in_flows               | update                            | no    no    no     no     no      no       no    no      yes
auth.sign_in_flows               | delete                            | no    no    no     no     no      no       no    no      yes
auth.mail_throttles              | select                            | no    no    no     no     no      no       no    no      yes
auth.mail_throttles              | insert                            | no    no    no     no     no      no       no    no      yes
auth.mail_throttles              | update                            | no    no    no     no     no      no       no    no      yes
auth.mail_throttles              | delete                            | no    no    no     no     no      no       no    no      yes

private.hook_failures            | select                            | no    no    no     no     no      no       no    no      yes
private.hook_failures            | insert                            | no    no    no     no     no      no       no    no      yes
private.hook_failures            | update                            | no    no    no     no     no      no       no    no      yes
private.hook_failures            | delete                            | no    no    no     no     no      no       no    no      yes
private.mail_outbox              | select                            | no    no    no     no     no      no       no    no      yes
private.mail_outbox              | insert                            | no    no    no     no     no      no       no    no      yes
private.mail_outbox              | update                            | no    no    no     no     no      no       no    no      yes
private.mail_outbox              | delete                            | no    no    no     no     no      no       no    no      yes

private.open_invitations         | select                            | no    no    no     no     no      no       no    no      yes
private.open_invitations         | insert                            | never never never  never  never   never    never never   never
private.open_invitations         | update                            | never never never  never  never   never    never never   never
private.open_invitations         | delete                            | never never never  never  never   never    never never   never

private.migrations               | select                            | no    no    no     no     no      no       no    no      no
private.migrations               | insert                            | no    no    no     no     no      no       no    no      no
private.migrations               | update                            | no    no    no     no     no      no       no    no      no
private.migrations               | delete                            | no    no    no     no     no      no       no    no      no

private.function_files           | select                            | no    no    no     no     no      no       no    no      no
private.function_files           | insert                            | no    no    no     no     no      no       no    no      no
private.function_files           | update                            | no    no    no     no     no      no       no    no      no
private.function_files           | delete                            | no    no    no     no     no      no       no    no      no

realtime.messages                | select                            | -     -     -      -      -       -        -     yes     yes
realtime.messages                | insert                            | no    no    no     no     no      no       no    yes     yes
realtime.messages                | update                            | no    no    no     no     no      no       no    yes     yes
realtime.messages                | delete                            | no    no    no     no     no      no       no    yes     yes
realtime.messages                | select webhook signals            | yes   -     -      -      -       -        -     yes     yes
realtime.messages                | insert webhook signals            | no    no    no     no     no      no       no    yes     yes
realtime.messages                | select agent signals              | yes   yes   yes    yes    -       -        -     yes     yes
realtime.messages                | insert agent signals              | no    no    no     no     no      no       no    yes     yes

private.settings                 | select                            | no    no    no     no     no      no       no    no      yes
private.settings                 | insert                            | no    no    no     no     no      no       no    no      no
private.settings                 | update                            | no    no    no     no     no      no       no    no      no
private.settings                 | delete                            | no    no    no     no     no      no       no    no      no

private.request_signing_secrets  | select                            | no    no    no     no     no      no       no    no      yes
private.request_signing_secrets  | insert                            | no    no    no     no     no      no       no    no      yes
private.request_signing_secrets  | update                            | no    no    no     no     no      no       no    no      yes
private.request_signing_secrets  | delete                            | no    no    no     no     no      no       no    no      yes

private.request_nonces           | select                            | no    no    no     no     no      no       no    no      yes
private.request_nonces           | insert                            | no    no    no     no     no      no       no    no      yes
private.request_nonces           | update                            | no    no    no     no     no      no       no    no      yes
private.request_nonces           | delete                            | no    no    no     no     no      no       no    no      yes

private.followed_topics          | select                            | no    no    no     no     no      no       no    no      yes
private.followed_topics          | insert                            | no    no    no     no     no      no       no    no      yes
private.followed_topics          | update                            | no    no    no     no     no      no       no    no      yes
private.followed_topics          | delete                            | no    no    no     no     no      no       no    no      yes

private.grant_usage              | select                            | no    no    no     no     no      no       no    no      yes
private.grant_usage              | insert                            | no    no    no     no     no      no       no    no      yes
private.grant_usage              | update                            | no    no    no     no     no      no       no    no      yes
private.grant_usage              | delete                            | no    no    no     no     no      no       no    no      yes

private.private_swarms           | select                            | no    no    no     no     no      no       no    no      yes
private.private_swarms           | insert                            | no    no    no     no     no      no       no    no      yes
private.private_swarms           | update                            | no    no    no     no     no      no       no    no      yes
private.private_swarms           | delete                            | no    no    no     no     no      no       no    no      yes

private.approval_servers         | select                            | no    no    no     no     no      no       no    no      yes
private.approval_servers         | insert                            | no    no    no     no     no      no       no    no      yes
private.approval_servers         | update                            | no    no    no     no     no      no       no    no      yes
private.approval_servers         | delete                            | no    no    no     no     no      no       no    no      yes

private.key_runs                 | select                            | no    no    no     no     no      no       no    no      yes
private.key_runs                 | insert                            | no    no    no     no     no      no       no    no      yes
private.key_runs                 | update                            | no    no    no     no     no      no       no    no      yes
private.key_runs                 | delete                            | no    no    no     no     no      no       no    no      yes

private.key_swarms               | select                            | no    no    no     no     no      no       no    no      yes
private.key_swarms               | insert                            | no    no    no     no     no      no       no    no      yes
private.key_swarms               | update                            | no    no    no     no     no      no       no    no      yes
private.key_swarms               | delete                            | no    no    no     no     no      no       no    no      yes

private.hidden_swarms            | select                            | no    no    no     no     no      no       no    no      yes
private.hidden_swarms            | insert                            | no    no    no     no     no      no       no    no      yes
private.hidden_swarms            | update                            | no    no    no     no     no      no       no    no      yes
private.hidden_swarms            | delete                            | no    no    no     no     no      no       no    no      yes
private.shared_swarms            | select                            | no    no    no     no     no      no       no    no      yes
private.shared_swarms            | insert                            | no    no    no     no     no      no       no    no      no
private.shared_swarms            | update                            | no    no    no     no     no      no       no    no      no
private.shared_swarms            | delete                            | no    no    no     no     no      no       no    no      no

private.ended_extension_runs     | select                            | no    no    no     no     no      no       no    no      no
private.ended_extension_runs     | insert                            | no    no    no     no     no      no       no    no      no
private.ended_extension_runs     | update                            | no    no    no     no     no      no       no    no      no
private.ended_extension_runs     | delete                            | no    no    no     no     no      no       no    no      no

private.outside_senders          | select                            | no    no    no     no     no      no       no    no      yes
private.outside_senders          | insert                            | no    no    no     no     no      no       no    no      no
private.outside_senders          | update                            | no    no    no     no     no      no       no    no      no
private.outside_senders          | delete                            | no    no    no     no     no      no       no    no      no
private.invitation_secrets       | select                            | no    no    no     no     no      no       no    no      yes
private.invitation_secrets       | insert                            | no    no    no     no     no      no       no    no      yes
private.invitation_secrets       | update                            | no    no    no     no     no      no       no    no      yes
private.invitation_secrets       | delete                            | no    no    no     no     no      no       no    no      yes

private.signing_keys             | select                            | no    no    no     no     no      no       no    no      yes
private.signing_keys             | insert                            | no    no    no     no     no      no       no    no      yes
private.signing_keys             | update                            | no    no    no     no     no      no       no    no      yes
private.signing_keys             | delete                            | no    no    no     no     no      no       no    no      yes

private.api_keys                 | select                            | no    no    no     no     no      no       no    no      yes
private.api_keys                 | insert                            | no    no    no     no     no      no       no    no      yes
private.api_keys                 | update                            | no    no    no     no     no      no       no    no      yes
private.api_keys                 | delete                            | no    no    no     no     no      no       no    no      yes

private.webhook_previous_secrets | select                            | no    no    no     no     no      no       no    no      yes
private.webhook_previous_secrets | insert                            | no    no    no     no     no      no       no    no      yes
private.webhook_previous_secrets | update                            | no    no    no     no     no      no       no    no      yes
private.webhook_previous_secrets | delete                            | no    no    no     no     no      no       no    no      yes

private.webhook_queue            | select                            | no    no    no     no     no      no       no    no      yes
private.webhook_queue            | insert                            | no    no    no     no     no      no       no    no      yes
private.webhook_queue            | update                            | no    no    no     no     no      no       no    no      yes
private.webhook_queue            | delete                            | no    no    no     no     no      no       no    no      yes

private.webhook_endpoint_queues  | select                            | no    no    no     no     no      no       no    no      yes
private.webhook_endpoint_queues  | insert                            | no    no    no     no     no      no       no    no      yes
private.webhook_endpoint_queues  | update                            | no    no    no     no     no      no       no    no      yes
private.webhook_endpoint_queues  | delete                            | no    no    no     no     no      no       no    no      yes

private.webhook_send_windows     | select                            | no    no    no     no     no      no       no    no      yes
private.webhook_send_windows     | insert                            | no    no    no     no     no      no       no    no      yes
private.webhook_send_windows     | update                            | no    no    no     no     no      no       no    no      yes
private.webhook_send_windows     | delete                            | no    no    no     no     no      no       no    no      yes


private.webhook_resumptions      | select                            | no    no    no     no     no      no       no    no      yes
private.webhook_resumptions      | insert                            | no    no    no     no     no      no       no    no      yes
private.webhook_resumptions      | update                            | no    no    no     no     no      no       no    no      yes
private.webhook_resumptions      | delete                            | no    no    no     no     no      no       no    no      yes

private.events                   | select                            | no    no    no     no     no      no       no    no      yes
private.events                   | insert                            | no    no    no     no     no      no       no    no      yes
private.events                   | update                            | no    no    no     no     no      no       no    no      yes
private.events                   | delete                            | no    no    no     no     no      no       no    no      yes

private.tool_authorizations      | select                            | no    no    no     no     no      no       no    no      yes
private.tool_authorizations      | insert                            | no    no    no     no     no      no       no    no      yes
private.tool_authorizations      | update                            | no    no    no     no     no      no       no    no      yes
private.tool_authorizations      | delete                            | no    no    no     no     no      no       no    no      yes
private.tool_secrets             | select                            | no    no    no     no     no      no       no    no      yes
private.tool_secrets             | insert                            | no    no    no     no     no      no       no    no      yes
private.tool_secrets             | update                            | no    no    no     no     no      no       no    no      yes
private.tool_secrets             | delete                            | no    no    no     no     no      no       no    no      yes

private.agent_counters           | select                            | no    no    no     no     no      no       no    no      yes
private.agent_counters           | insert                            | no    no    no     no     no      no       no    no      yes
private.agent_counters           | update                            | no    no    no     no     no      no       no    no      yes
private.agent_counters           | delete                            | no    no    no     no     no      no       no    no      yes

private.webhook_counters         | select                            | no    no    no     no     no      no       no    no      yes
private.webhook_counters         | insert                            | no    no    no     no     no      no       no    no      yes
private.webhook_counters         | update                            | no    no    no     no     no      no       no    no      yes
private.webhook_counters         | delete                            | no    no    no     no     no      no       no    no      yes

private.webhook_skips            | select                            | no    no    no     no     no      no       no    no      yes
private.webhook_skips            | insert                            | no    no    no     no     no      no       no    no      yes
private.webhook_skips            | update                            | no    no    no     no     no      no       no    no      yes
private.webhook_skips            | delete                            | no    no    no     no     no      no       no    no      yes

private.subscriptions            | select                            | no    no    no     no     no      no       no    no      yes
private.subscriptions            | insert                            | never never never  never  never   never    never never   never
private.subscriptions            | update                            | never never never  never  never   never    never never   never
private.subscriptions            | delete                            | never never never  never  never   never    never never   never

private.event_feed_positions     | select                            | no    no    no     no     no      no       no    no      yes
private.event_feed_positions     | insert                            | no    no    no     no     no      no       no    no      yes
private.event_feed_positions     | update                            | no    no    no     no     no      no       no    no      yes
private.event_feed_positions     | delete                            | no    no    no     no     no      no       no    no      yes

private.event_feed_entries       | select                            | no    no    no     no     no      no       no    no      yes
private.event_feed_entries       | insert                            | no    no    no     no     no      no       no    no      yes
private.event_feed_entries       | update                            | no    no    no     no     no      no       no    no      yes
private.event_feed_entries       | delete                            | no    no    no     no     no      no       no    no      yes

private.event_feed_consumers     | select                            | no    no    no     no     no      no       no    no      yes
private.event_feed_consumers     | insert                            | no    no    no     no     no      no       no    no      yes
private.event_feed_consumers     | update                            | no    no    no     no     no      no       no    no      yes
private.event_feed_consumers     | delete                            | no    no    no     no     no      no       no    no      yes

private.message_counters         | select                            | no    no    no     no     no      no       no    no      yes
private.message_counters         | insert                            | no    no    no     no     no      no       no    no      yes
private.message_counters         | update                            | no    no    no     no     no      no       no    no      yes
private.message_counters         | delete                            | no    no    no     no     no      no       no    no      yes

private.run_leases               | select                            | no    no    no     no     no      no       no    no      yes
private.run_leases               | insert                            | no    no    no     no     no      no       no    no      yes
private.run_leases               | update                            | no    no    no     no     no      no       no    no      yes
private.run_leases               | delete                            | no    no    no     no     no      no       no    no      yes
private.run_images               | select                            | no    no    no     no     no      no       no    no      yes
private.run_images               | insert                            | no    no    no     no     no      no       no    no      yes
private.run_images               | update                            | no    no    no     no     no      no       no    no      yes
private.run_images               | delete                            | no    no    no     no     no      no       no    no      yes
private.run_starts               | select                            | no    no    no     no     no      no       no    no      yes
private.run_starts               | insert                            | no    no    no     no     no      no       no    no      yes
private.run_starts               | update                            | no    no    no     no     no      no       no    no      yes
private.run_starts               | delete                            | no    no    no     no     no      no       no    no      yes
private.sent_tool_results        | select                            | no    no    no     no     no      no       no    no      yes
private.sent_tool_results        | insert                            | no    no    no     no     no      no       no    no      yes
private.sent_tool_results        | update                            | no    no    no     no     no      no       no    no      yes
private.sent_tool_results        | delete                            | no    no    no     no     no      no       no    no      yes
private.run_progress             | select                            | no    no    no     no     no      no       no    no      yes
private.run_progress             | insert                            | no    no    no     no     no      no       no    no      yes
private.run_progress             | update                            | no    no    no     no     no      no       no    no      yes
private.run_progress             | delete                            | no    no    no     no     no      no       no    no      yes
private.run_signals              | select                            | no    no    no     no     no      no       no    no      yes
private.run_signals              | insert                            | no    no    no     no     no      no       no    no      yes
private.run_signals              | update                            | no    no    no     no     no      no       no    no      yes
private.run_signals              | delete                            | no    no    no     no     no      no       no    no      yes
private.sub_tasks                | select                            | no    no    no     no     no      no       no    no      yes
private.sub_tasks                | insert                            | no    no    no     no     no      no       no    no      yes
private.sub_tasks                | update                            | no    no    no     no     no      no       no    no      yes
private.sub_tasks                | delete                            | no    no    no     no     no      no       no    no      yes
private.budget_reservations      | select                            | no    no    no     no     no      no       no    no      yes
private.budget_reservations      | insert                            | no    no    no     no     no      no       no    no      yes
private.budget_reservations      | update                            | no    no    no     no     no      no       no    no      yes
private.budget_reservations      | delete                            | no    no    no     no     no      no       no    no      yes

private.idempotency_keys         | select                            | no    no    no     no     no      no       no    no      yes
private.idempotency_keys         | insert                            | no    no    no     no     no      no       no    no      yes
private.idempotency_keys         | update                            | no    no    no     no     no      no       no    no      yes
private.idempotency_keys         | delete                            | no    no    no     no     no      no       no    no      yes

private.turn_snapshots           | select                            | no    no    no     no     no      no       no    no      yes
private.turn_snapshots           | insert                            | no    no    no     no     no      no       no    no      yes
private.turn_snapshots           | update                            | no    no    no     no     no      no       no    no      yes
private.turn_snapshots           | delete                            | no    no    no     no     no      no       no    no      yes
private.agent_status_marks       | select                            | no    no    no     no     no      no       no    no      yes
private.agent_status_marks       | insert                            | no    no    no     no     no      no       no    no      yes
private.agent_status_marks       | update                            | no    no    no     no     no      no       no    no      yes
private.agent_status_marks       | delete                            | no    no    no     no     no      no       no    no      yes
`;
