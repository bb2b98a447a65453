package io.artifactserver.core.limit;

import java.util.List;
import java.util.Optional;

/**
 * The buckets and the queue that downloads of one repository pass. Thread-safe.
 *
 * @param buckets that every byte passes, from the narrowest to the widest
 * @param queue where downloads wait for their turn; empty if the repository has no limits
 */
public record Lane(List<TokenBucket> buckets, Optional<DownloadQueue> queue) {}
