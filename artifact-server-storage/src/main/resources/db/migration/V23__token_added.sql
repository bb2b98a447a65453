-- Each server looks every few seconds which tokens the others have added. By the database's clock,
-- which is the same for all; and for tokens of before, without writing each row.
alter table access_token add column added_at timestamptz not null default now();

create index access_token_added on access_token (added_at);
