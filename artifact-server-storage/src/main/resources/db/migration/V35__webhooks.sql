-- Other servers are told what happens in a repository. The secrets are data keys: the ring wraps them, and wraps them
-- again when it has another key.
create table webhook (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repository (id) on delete cascade,
  url text not null check (octet_length(url) between 1 and 2048),
  events text[] not null,
  enabled boolean not null default true,
  secret_key text collate "C" not null,
  former_key text collate "C",
  former_until timestamptz,
  created_at timestamptz not null default now(),
  check (num_nulls(former_key, former_until) in (0, 2))
);

create index webhook_repository on webhook (repository_id);

-- An event for a webhook, from the transaction of the change on. One without "next_attempt_at" is over.
create table webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id bigint not null references webhook (id) on delete cascade,
  message uuid not null,
  number bigint not null,
  kind text collate "C" not null,
  data json not null,
  created_at timestamptz not null default now(),
  attempts integer not null default 0,
  next_attempt_at timestamptz default now(),
  attempted_at timestamptz,
  took_millis bigint,
  status integer,
  detail text,
  check (num_nulls(attempted_at, took_millis, status, detail) in (0, 4)),
  check (num_nulls(attempted_at, next_attempt_at) < 2)
);

create index webhook_delivery_due on webhook_delivery (webhook_id, next_attempt_at) where next_attempt_at is not null;
create index webhook_delivery_log on webhook_delivery (webhook_id, id);

create sequence webhook_event_number;

create function tell_webhooks(of_repository bigint, what text, content json) returns void language plpgsql as $$
declare
  told bigint[] := array(
    select id from webhook where repository_id = of_repository and enabled and what = any (events));
  event_message uuid := gen_random_uuid();
  event_number bigint;
begin
  if cardinality(told) > 0 then
    event_number := nextval('webhook_event_number');
    insert into webhook_delivery (webhook_id, message, number, kind, data)
    select webhook, event_message, event_number, what, content from unnest(told) as webhook;
  end if;
end
$$;

-- Every way in which an artifact comes or goes is one of these.
create function tell_webhooks_of_artifact() returns trigger language plpgsql as $$
declare
  changed artifact := case when tg_op = 'DELETE' then old else new end;
begin
  if exists (select from webhook where repository_id = changed.repository_id and enabled) then
    perform tell_webhooks(
      changed.repository_id,
      case when tg_op = 'DELETE' then 'artifact.deleted' else 'artifact.published' end,
      json_build_object(
        'repository', r.name,
        'path', changed.path,
        'sha256', encode(b.sha256, 'hex'),
        'length', b.length,
        'mediaType', changed.media_type))
    from repository r, blob b
    where r.id = changed.repository_id and b.id = changed.blob_id;
  end if;
  return null;
end
$$;

create trigger webhooks_are_told_of_artifacts
  after insert or delete on artifact
  for each row execute function tell_webhooks_of_artifact();
