package io.artifactserver.core.ingest;

import java.io.InputStream;
import java.util.function.Supplier;

/**
 * An artifact that comes in with one request. Used by one thread.
 *
 * @param request the description, as far as it comes before the bytes
 * @param source of the bytes; closed by whoever opened it
 * @param whole the description, which in a form may go on behind the bytes; asked for when the
 *     source is at its end
 */
public record IncomingArtifact(
    IngestRequest request, InputStream source, Supplier<IngestRequest> whole) {}
