-- Which devices get the release of a channel, and when it is taken back by itself.
alter table channel_change
  add column percentage integer not null default 100 check (percentage between 1 and 100),
  add column base text collate "C" check (octet_length(base) between 1 and 1024),
  add column paused boolean not null default false,
  add column callers text[] not null default '{}',
  add column addresses text[] not null default '{}',
  add column windows text[] not null default '{}',
  add column stop_percentage integer check (stop_percentage between 0 and 99),
  add column stop_within_millis bigint check (stop_within_millis > 0),
  add column stop_at_least integer check (stop_at_least > 0),
  add column stop_stall_millis bigint check (stop_stall_millis > 0);
