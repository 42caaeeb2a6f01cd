// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Json } from "../json.ts";
import type { AgentCardsView } from "./agent-cards.ts";
import type { AgentCustomersView } from "./agent-customers.ts";
import type { AgentGrantsTable } from "./agent-grants.ts";
import type { AgentOffersView } from "./agent-offers.ts";
import type { AgentToolsTable } from "./agent-tools.ts";
import type { AgentVersionsTable } from "./agent-versions.ts";
import type { AgentsTable } from "./agents.ts";
import type { ApiKeysTable } from "./api-keys.ts";
import type { ConversationSummariesTable } from "./conversation-summaries.ts";
import type { CustomerTurnsView } from "./customer-turns.ts";
import type { EvalCasesTable } from "./eval-cases.ts";
import type { EvalDatasetsTable } from "./eval-datasets.ts";
import type { EvalResultsTable } from "./eval-results.ts";
import type { EvalRunsTable } from "./eval-runs.ts";
import type { EventFeedBacklogView } from "./event-feed-backlog.ts";
import type { EventFeedsTable } from "./event-feeds.ts";
import type { EventTypesTable } from "./event-types.ts";
import type { GuardrailsTable } from "./guardrails.ts";
import type { MessageFlagsTable } from "./message-flags.ts";
import type { MessageRevisionsTable } from "./message-revisions.ts";
import type { MessagesTable } from "./messages.ts";
import type { ModelCallPromptsTable } from "./model-call-prompts.ts";
import type { ModelCallsTable } from "./model-calls.ts";
import type { ModelsTable } from "./models.ts";
import type { ProfilesTable } from "./profiles.ts";
import type { PublicProfilesView } from "./public-profiles.ts";
import type { PublishedAgentsView } from "./published-agents.ts";
import type { ReadPositionsTable } from "./read-positions.ts";
import type { RunEventsTable } from "./run-events.ts";
import type { RunTurnsTable } from "./run-turns.ts";
import type { RunsTable } from "./runs.ts";
import type { SchedulesTable } from "./schedules.ts";
import type { SwarmAgentsTable } from "./swarm-agents.ts";
import type { SwarmInvitationsView } from "./swarm-invitations.ts";
import type { SwarmMembersTable } from "./swarm-members.ts";
import type { SwarmsTable } from "./swarms.ts";
import type { ToolExecutionPayloadsTable } from "./tool-execution-payloads.ts";
import type { ToolExecutionsTable } from "./tool-executions.ts";
import type { ToolsTable } from "./tools.ts";
import type { TriggerCallsTable } from "./trigger-calls.ts";
import type { TriggersTable } from "./triggers.ts";
import type { UsageDailyView } from "./usage-daily.ts";
import type { UsageRecordsTable } from "./usage-records.ts";
import type { UserSettingsTable } from "./user-settings.ts";
import type { WebhookBacklogView } from "./webhook-backlog.ts";
import type { WebhookDeliveriesTable } from "./webhook-deliveries.ts";
import type { WebhookDeliveryAttemptsTable } from "./webhook-delivery-attempts.ts";
import type { WebhookPreviousSecretsView } from "./webhook-previous-secrets.ts";
import type { WebhookRecoveriesTable } from "./webhook-recoveries.ts";
import type { WebhooksTable } from "./webhooks.ts";

/** For `createClient<Database>()` of supabase-js. */
export type Database = {
  __InternalSupabase: { PostgrestVersion: "14" };
  public: {
    Tables: {
      agent_grants: AgentGrantsTable;
      agent_tools: AgentToolsTable;
      agent_versions: AgentVersionsTable;
      agents: AgentsTable;
      api_keys: ApiKeysTable;
      conversation_summaries: ConversationSummariesTable;
      eval_cases: EvalCasesTable;
      eval_datasets: EvalDatasetsTable;
      eval_results: EvalResultsTable;
      eval_runs: EvalRunsTable;
      event_feeds: EventFeedsTable;
      event_types: EventTypesTable;
      guardrails: GuardrailsTable;
      message_flags: MessageFlagsTable;
      message_revisions: MessageRevisionsTable;
      messages: MessagesTable;
      model_call_prompts: ModelCallPromptsTable;
      model_calls: ModelCallsTable;
      models: ModelsTable;
      profiles: ProfilesTable;
      read_positions: ReadPositionsTable;
      run_events: RunEventsTable;
      run_turns: RunTurnsTable;
      runs: RunsTable;
      schedules: SchedulesTable;
      swarm_agents: SwarmAgentsTable;
      swarm_members: SwarmMembersTable;
      swarms: SwarmsTable;
      tool_execution_payloads: ToolExecutionPayloadsTable;
      tool_executions: ToolExecutionsTable;
      tools: ToolsTable;
      trigger_calls: TriggerCallsTable;
      triggers: TriggersTable;
      usage_records: UsageRecordsTable;
      user_settings: UserSettingsTable;
      webhook_deliveries: WebhookDeliveriesTable;
      webhook_delivery_attempts: WebhookDeliveryAttemptsTable;
      webhook_recoveries: WebhookRecoveriesTable;
      webhooks: WebhooksTable;
    };
    Views: {
      agent_cards: AgentCardsView;
      agent_customers: AgentCustomersView;
      agent_offers: AgentOffersView;
      customer_turns: CustomerTurnsView;
      event_feed_backlog: EventFeedBacklogView;
      public_profiles: PublicProfilesView;
      published_agents: PublishedAgentsView;
      swarm_invitations: SwarmInvitationsView;
      usage_daily: UsageDailyView;
      webhook_backlog: WebhookBacklogView;
      webhook_previous_secrets: WebhookPreviousSecretsView;
    };
    Functions: {
      agent_cards: {
        Args: { place: SwarmAgentsTable["Row"] };
        Returns: AgentCardsView["Row"];
        SetofOptions: { from: "swarm_agents"; to: "agent_cards"; isOneToOne: true; isSetofReturn: true };
      };
      agent_owner_id: {
        Args: { place: SwarmAgentsTable["Row"] };
        Returns: string;
      };
      duration_ms: {
        Args: { run: RunsTable["Row"] };
        Returns: number;
      };
      /**
       * Emit an event of the app
       *
       * Emits one event in the transaction of the call, with the rights of the caller, as SQL does. The function `events` emits
       * several, and checks the schema of their data.
       */
      emit_event: {
        Args: { type: string; data: Json; user_id?: string; swarm_id?: string };
        Returns: string;
      };
      header_names: {
        Args: { webhook: WebhooksTable["Row"] };
        Returns: string[];
      };
      may_decide: {
        Args: { call: ToolExecutionsTable["Row"] };
        Returns: boolean;
      };
      private_agent_id: {
        Args: { swarm: SwarmsTable["Row"] };
        Returns: string;
      };
      public_profiles:
        | {
            Args: { message: MessagesTable["Row"] };
            Returns: PublicProfilesView["Row"];
            SetofOptions: { from: "messages"; to: "public_profiles"; isOneToOne: true; isSetofReturn: true };
          }
        | {
            Args: { seat: SwarmMembersTable["Row"] };
            Returns: PublicProfilesView["Row"];
            SetofOptions: { from: "swarm_members"; to: "public_profiles"; isOneToOne: true; isSetofReturn: true };
          };
      /**
       * Restore a version of your agent
       *
       * Restores the values of the version, and stores them as a new version.
       */
      restore_agent_version: {
        Args: { agent_id: string; number: number };
        Returns: Json;
      };
      started_by: {
        Args: { swarm: SwarmsTable["Row"] };
        Returns: string;
      };
      tool: {
        Args: { assignment: AgentToolsTable["Row"] };
        Returns: ToolsTable["Row"];
        SetofOptions: { from: "agent_tools"; to: "tools"; isOneToOne: true; isSetofReturn: true };
      };
      transcripts: {
        Args: { swarm: SwarmsTable["Row"] };
        Returns: string;
      };
      turns: {
        Args: { run: RunsTable["Row"] };
        Returns: RunTurnsTable["Row"][];
        SetofOptions: { from: "runs"; to: "run_turns"; isOneToOne: false; isSetofReturn: true };
      };
      /**
       * Count the attempts of a webhook over time
       *
       * Returns one row for each period, the oldest first; no row for a webhook of another user.
       */
      webhook_attempt_counts: {
        Args: { webhook_id: string; since: string; until: string; periods?: number };
        Returns: {
          since: string;
          until: string;
          delivered: number;
          retried: number;
          failed: number;
          p50_ms: number | null;
          p95_ms: number | null;
          slowest_ms: number | null;
          is_complete: boolean;
        }[];
      };
      /**
       * Count the attempts of your webhooks
       *
       * Returns one row for each webhook, or for one webhook.
       */
      webhook_health: {
        Args: { webhook_id?: string; hours?: number };
        Returns: {
          webhook_id: string;
          since: string;
          until: string;
          attempts: number;
          delivered: number;
          retried: number;
          failed: number;
          success_rate: number | null;
          p50_ms: number | null;
          p95_ms: number | null;
          pending: number;
          retrying: number;
        }[];
      };
    };
    Enums: { [name in never]: never };
    CompositeTypes: { [name in never]: never };
  };
};
