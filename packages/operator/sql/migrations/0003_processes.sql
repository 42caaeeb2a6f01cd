-- What the process is that has stored a sample: its version, start, tasks, and what it knows about backups.
alter table ext_operator.metric_samples add column process jsonb not null default '{}';
