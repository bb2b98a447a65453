-- What an operator says of a device, each as KEY=VALUE, and which of it a stage asks for.
alter table access_token add column labels text[] not null default '{}';
alter table channel_change add column labels text[] not null default '{}';
