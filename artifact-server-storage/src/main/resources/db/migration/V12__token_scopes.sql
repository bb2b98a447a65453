-- Operators are admins from now on. A token may be limited to paths and to a time.
alter table access_token drop constraint access_token_role_check;

update access_token set role = 'ADMIN' where role = 'OPERATOR';

alter table access_token
  add constraint access_token_role_check
    check (role in ('ADMIN', 'PUBLISHER', 'READER', 'DEVICE')),
  add column description text not null default '',
  add column expires_at timestamptz,
  add column last_used_at timestamptz;

create table access_token_path (
  token_id text collate "C" not null references access_token (id) on delete cascade,
  prefix text collate "C" not null check (octet_length(prefix) between 1 and 4096),
  primary key (token_id, prefix)
);
