-- The list of tokens comes in pages, by creation.
create index access_token_created on access_token (created_at, id) where revoked_at is null;
