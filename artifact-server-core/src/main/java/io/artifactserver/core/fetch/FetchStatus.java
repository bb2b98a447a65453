package io.artifactserver.core.fetch;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.ingest.IngestRequest;
import java.net.URI;
import java.util.Optional;

/**
 * How a fetch stands. Immutable.
 *
 * @param id 32 lower-case hexadecimal digits, random: the last part of its address
 * @param owner began it
 * @param url of the file; its query may be a secret of the owner
 * @param request what shall become of the bytes, with their length if the other server has told it
 * @param received bytes of the file that are here
 * @param failure why it failed
 */
public record FetchStatus(
    String id,
    Caller owner,
    URI url,
    IngestRequest request,
    FetchState state,
    long received,
    Optional<Exception> failure) {}
