-- All servers of a database have it: one hands out what another checks. 244 random bits.
alter table installation
  add column secret bytea not null
    default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
