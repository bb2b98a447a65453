-- Each row has the digest of the row before. Nobody changes a row: not by mistake, because the
-- triggers refuse it, and not in secret, because the chain would break.
create table audit (
  id bigint primary key check (id > 0),
  at timestamptz not null,
  entry text not null,
  previous text not null unique check (previous ~ '^[0-9a-f]{64}$'),
  digest text not null unique check (digest ~ '^[0-9a-f]{64}$')
);

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'rows of the audit are never changed or deleted'
    using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_rows_stay
  before update or delete on audit
  for each row execute function audit_is_append_only();

create trigger audit_stays
  before truncate on audit
  for each statement execute function audit_is_append_only();

revoke update, delete, truncate on audit from public;
