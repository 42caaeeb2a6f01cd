import type { ExtensionAccess } from "swarmbase/extension";

/** Users and the service role reach no table of this extension, and its own work writes only through functions. */
export const ACCESS: ExtensionAccess = {
  rows: `
insert into ext_operator.operators (user_id) values (:owner);
insert into ext_operator.audit (actor, user_id, action) values ('operator', :owner, 'users.list');
insert into ext_operator.log_lines (created_at, node, level, event, message, fields)
values (now(), 'n', 'info', 'e', 'm', '{}');
insert into ext_operator.user_days (day, user_id) values (current_date, :owner);
insert into ext_operator.metric_samples (node, measured) values ('n', '{}')`,
  matrix: `
ext_operator.operators | select | no no no no no no no no yes
ext_operator.operators | insert | no no no no no no no no no
ext_operator.operators | update | no no no no no no no no no
ext_operator.operators | delete | no no no no no no no no no
ext_operator.audit     | select | no no no no no no no no yes
ext_operator.audit     | insert | no no no no no no no no no
ext_operator.audit     | update | no no no no no no no no no
ext_operator.audit     | delete | no no no no no no no no no
ext_operator.log_lines | select | no no no no no no no no yes
ext_operator.log_lines | insert | no no no no no no no no no
ext_operator.log_lines | update | no no no no no no no no no
ext_operator.log_lines | delete | no no no no no no no no no
ext_operator.metric_samples | select | no no no no no no no no yes
ext_operator.metric_samples | insert | no no no no no no no no no
ext_operator.metric_samples | update | no no no no no no no no no
ext_operator.metric_samples | delete | no no no no no no no no no
ext_operator.user_days | select | no no no no no no no no yes
ext_operator.user_days | insert | no no no no no no no no no
ext_operator.user_days | update | no no no no no no no no no
ext_operator.user_days | delete | no no no no no no no no no`,
  statements: {
    "ext_operator.operators": {
      select: "select 1 from ext_operator.operators where user_id = :owner",
      insert: "insert into ext_operator.operators (user_id) values (:caller)",
      update: "update ext_operator.operators set created_at = now()",
      delete: "delete from ext_operator.operators",
    },
    "ext_operator.audit": {
      select: "select 1 from ext_operator.audit where user_id = :owner",
      insert: "insert into ext_operator.audit (actor, action) values ('operator', 'users.list')",
      update: "update ext_operator.audit set outcome = 'done'",
      delete: "delete from ext_operator.audit",
    },
    "ext_operator.log_lines": {
      select: "select 1 from ext_operator.log_lines",
      insert:
        "insert into ext_operator.log_lines (created_at, node, level, event, message, fields) values (now(), 'n', 'info', 'e', 'm', '{}')",
      update: "update ext_operator.log_lines set level = 'warn'",
      delete: "delete from ext_operator.log_lines",
    },
    "ext_operator.metric_samples": {
      select: "select 1 from ext_operator.metric_samples",
      insert: "insert into ext_operator.metric_samples (node, measured) values ('n', '{}')",
      update: "update ext_operator.metric_samples set node = 'x'",
      delete: "delete from ext_operator.metric_samples",
    },
    "ext_operator.user_days": {
      select: "select 1 from ext_operator.user_days",
      insert: "insert into ext_operator.user_days (day, user_id) values (current_date, :caller)",
      update: "update ext_operator.user_days set requests = 0",
      delete: "delete from ext_operator.user_days",
    },
  },
};
