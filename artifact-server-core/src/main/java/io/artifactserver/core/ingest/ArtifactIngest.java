package io.artifactserver.core.ingest;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.derive.DerivationRequests;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.limit.OverQuotaException;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Use case: take an artifact in. Thread-safe; an upload occupies its caller's thread.
 *
 * <p>The bytes pass once: while one buffer is digested and written, the next is read. The blob is
 * durable before the catalog names it, so that a crash leaves an orphan for the sweeper and never a
 * name without bytes. No database transaction is open while bytes flow.
 *
 * @param quota of the store
 * @param repositoryQuotas of each repository
 * @param digestExecutor runs the digests of all uploads; bounds their parallelism
 * @param derivations is told of every new artifact
 * @param channels whose releases may take no more artifacts
 */
public record ArtifactIngest(
    ArtifactCatalog catalog,
    BlobRegister register,
    BlobStores stores,
    Quota quota,
    QuotaLedger repositoryQuotas,
    Executor digestExecutor,
    DerivationRequests derivations,
    ChannelBook channels) {
  /** As {@link #ingest(IncomingArtifact)}, of an artifact whose description is known. */
  public IngestResult ingest(IngestRequest request, InputStream source)
      throws IngestException, StorageException {
    return ingest(new IncomingArtifact(request, source, () -> request));
  }

  /**
   * Reads the source to its end and makes its bytes an artifact. The caller closes the source. If
   * the store has lost the same bytes before, these take their place for every artifact.
   *
   * @return the new artifact, or the present one if the path has the same bytes; as the database
   *     has it when this returns, not when it began
   * @throws IngestException if the sender is at fault; nothing is kept
   * @throws StorageException if the store is at fault; nothing is kept
   */
  public IngestResult ingest(IncomingArtifact incoming) throws IngestException, StorageException {
    IngestRequest request = incoming.request();
    Repository repository = repository(request);
    Optional<Artifact> existing = catalog.findCurrent(request.id());
    requireFree(request, repository, existing);
    if (existing.isPresent()) {
      return lostBlobs().isLost(existing.get().blob())
          ? restore(existing.get(), repository.encrypted(), incoming)
          : compare(incoming);
    }
    try (Admission admission = reserve(request, repository.encrypted(), false);
        BlobUpload upload = stores.of(repository.encrypted()).begin()) {
      Digests digests =
          new Reading(digestExecutor)
              .transfer(
                  incoming,
                  (buffer, received) -> {
                    admission.growTo(received);
                    upload.write(buffer);
                  });
      return link(incoming.whole().get(), admission, upload, digests);
    }
  }

  /**
   * Checks what can be known of an upload before its bytes come, and reserves its room: for one
   * that is taken in over several requests. Asks the database. The caller closes the admission.
   *
   * @param isPart whether the bytes become a part of an artifact, and count as none themselves
   * @throws IngestException if the sender is at fault
   */
  public Admission admit(IngestRequest request, boolean isPart) throws IngestException {
    Repository repository = repository(request);
    requireFree(request, repository, catalog.findCurrent(request.id()));
    return reserve(request, repository.encrypted(), isPart);
  }

  /**
   * Reserves the room of an upload that was {@linkplain #admit admitted} by another process.
   *
   * @param isPart as for {@link #admit}
   * @throws IngestException if there is none any more
   */
  public Admission readmit(IngestRequest request, boolean encrypted, boolean isPart)
      throws IngestException {
    return reserve(request, encrypted, isPart);
  }

  /**
   * Makes the bytes of an admitted upload an artifact. The caller closes the upload, which may be
   * committed now; what is not is dropped, as other artifacts have the same bytes already.
   *
   * @param request that was admitted, with what was declared since
   * @param upload has all bytes, and belongs to the store that the admission names
   * @return as {@link #ingest}
   * @throws IngestException if the sender is at fault
   * @throws StorageException if the store is at fault
   */
  public IngestResult complete(
      IngestRequest request, Admission admission, BlobUpload upload, Digests digests)
      throws IngestException, StorageException {
    Reading.requireAnnounced(request, digests);
    return link(request, admission, upload, digests);
  }

  private Additions additions() {
    return new Additions(catalog, channels);
  }

  private LostBlobs lostBlobs() {
    return new LostBlobs(register, stores);
  }

  /**
   * As {@link #complete}, for bytes that a process has committed which died then, or lost the
   * database: nobody knows whether the catalog names them.
   */
  public IngestResult completeCommitted(
      IngestRequest request, Admission admission, BlobRef blob, Digests digests)
      throws IngestException {
    Reading.requireAnnounced(request, digests);
    // If others have the same bytes, the blob is an orphan now, or theirs: the sweeper knows.
    Optional<Addition> shared = additions().share(request, digests, admission.place());
    return shared.isPresent()
        ? result(request, shared.get(), digests)
        : add(request, admission, blob, digests);
  }

  private Repository repository(IngestRequest request) throws IngestException.RepositoryNotFound {
    String name = request.id().repository();
    return catalog.repository(name).orElseThrow(() -> new IngestException.RepositoryNotFound(name));
  }

  /** An announced digest tells before the body is read; without one, the catalog decides later. */
  private void requireFree(
      IngestRequest request, Repository repository, Optional<Artifact> existing)
      throws IngestException {
    if (existing.isPresent()) {
      request.requireSame(existing.get());
    } else if (Channel.isAddress(request.id().path())) {
      throw new IngestException.PathReserved(request.id());
    } else {
      additions().requireOpen(request.id());
      if (!repository.paths().mutable()) {
        requireUnusedOrSame(request);
      }
    }
  }

  private Admission reserve(IngestRequest request, boolean encrypted, boolean isPart)
      throws IngestException {
    long announced = Math.max(0, request.declaredLength());
    String repository = request.id().repository();
    Quota.Reservation room = quota.reserve(announced);
    try {
      return new Admission(
          encrypted,
          room,
          isPart
              ? repositoryQuotas.reserveBytes(repository, announced)
              : repositoryQuotas.reserve(repository, announced));
    } catch (OverQuotaException e) {
      room.close();
      throw new IngestException.RepositoryFull(e);
    } catch (RuntimeException e) {
      room.close();
      throw e;
    }
  }

  private void requireUnusedOrSame(IngestRequest request) throws IngestException.PathUsed {
    for (Digest expected : request.expectedDigests()) {
      if (expected.algorithm() == DigestAlgorithm.SHA_256) {
        Optional<UsedPath> used =
            catalog.usedPath(request.id()).filter(each -> !each.sha256().equals(expected));
        if (used.isPresent()) {
          throw new IngestException.PathUsed(used.get(), expected);
        }
      }
    }
  }

  /**
   * The path is taken: the bytes are digested, and not stored. The artifact that has the path when
   * they are all there decides.
   */
  private IngestResult compare(IncomingArtifact incoming) throws IngestException, StorageException {
    // Most clients read no answer before they have sent the body, so it is read to its end even
    // when it is known to differ; but it may not be longer than an artifact can be.
    AtomicLong length = new AtomicLong();
    Digests digests =
        new Reading(digestExecutor)
            .transfer(
                incoming,
                (buffer, received) -> {
                  quota.requireAllowed(received);
                  length.set(received);
                });
    IngestRequest request = incoming.whole().get();
    // The path may be free by now: then this is a new artifact, and needs room like any other.
    try (QuotaLedger.Reservation place =
        repositoryQuotas.reserve(request.id().repository(), length.get())) {
      Addition shared =
          additions()
              .share(request, digests, place)
              .orElseThrow(() -> new IngestException.DeletedMeanwhile(request.id()));
      return result(request, shared, digests);
    } catch (OverQuotaException e) {
      return sameOrTaken(
          catalog
              .findCurrent(request.id())
              .orElseThrow(() -> new IngestException.RepositoryFull(e)),
          digests);
    }
  }

  /**
   * The path is taken, and its bytes are lost: the same bytes are stored again, for every artifact
   * that has them. Nothing is added, so the repository's quota is not asked.
   */
  private IngestResult restore(Artifact lost, boolean encrypted, IncomingArtifact incoming)
      throws IngestException, StorageException {
    IngestRequest request = incoming.request();
    try (Quota.Reservation reservation = quota.reserve(Math.max(0, request.declaredLength()));
        BlobUpload upload = stores.of(encrypted).begin()) {
      Digests digests =
          new Reading(digestExecutor)
              .transfer(
                  incoming,
                  (buffer, received) -> {
                    reservation.growTo(received);
                    upload.write(buffer);
                  });
      sameOrTaken(lost, digests);
      BlobRef fresh = upload.commit();
      boolean isRepair = catalog.repair(fresh, digests);
      // It was lost before its repository's encryption came to it.
      boolean isMoved =
          fresh.encrypted() && !lost.blob().encrypted() && move(lost, digests, fresh, isRepair);
      if (isMoved && !isRepair) {
        reservation.keep();
      } else if (!isRepair) {
        discard(fresh);
      }
      derivations.deriveSoon();
      return sameOrTaken(
          catalog
              .findCurrent(request.id())
              .orElseThrow(() -> new IngestException.DeletedMeanwhile(request.id())),
          digests);
    }
  }

  private boolean move(Artifact lost, Digests digests, BlobRef fresh, boolean isStored) {
    ArtifactCatalog.PlainContent plain = new ArtifactCatalog.PlainContent(lost.blob(), digests);
    return isStored ? catalog.shareEncrypted(plain) : catalog.moveToEncrypted(plain, fresh);
  }

  private static IngestResult sameOrTaken(Artifact existing, Digests offered)
      throws IngestException.PathTaken {
    if (existing.digests().sha256().equals(offered.sha256())) {
      return new IngestResult.AlreadyPresent(existing);
    }
    throw new IngestException.PathTaken(existing, offered.sha256());
  }

  private IngestResult link(
      IngestRequest request, Admission admission, BlobUpload upload, Digests digests)
      throws IngestException, StorageException {
    lostBlobs().markIfMissing(digests.sha256(), admission.encrypted());
    Optional<Addition> shared = additions().share(request, digests, admission.place());
    if (shared.isPresent()) {
      return result(request, shared.get(), digests);
    }
    return add(request, admission, upload.commit(), digests);
  }

  private IngestResult add(
      IngestRequest request, Admission admission, BlobRef blob, Digests digests)
      throws IngestException {
    boolean isRepair = catalog.repair(blob, digests);
    // If add() throws, its outcome is unknown: the row may be there. The blob then stays, and the
    // sweeper removes it if it is an orphan.
    Addition addition = additions().add(request, blob, digests, admission.place());
    boolean isTaken =
        addition instanceof Addition.Added added && added.artifact().blob().equals(blob);
    if (isTaken && !isRepair) {
      admission.room().keep();
    } else if (!isRepair) {
      discard(blob);
    }
    return result(request, addition, digests);
  }

  private void discard(BlobRef blob) {
    try {
      stores.delete(blob);
    } catch (StorageException _) {
      // The catalog has decided already, so the caller is told what it decided. The blob is an
      // orphan now, and the sweeper's.
    }
  }

  private IngestResult result(IngestRequest request, Addition addition, Digests digests)
      throws IngestException {
    return switch (addition) {
      case Addition.Added added -> {
        derivations.deriveSoon();
        yield new IngestResult.Created(added.artifact());
      }
      case Addition.PathTaken taken -> sameOrTaken(taken.existing(), digests);
      case Addition.PathUsed used ->
          throw new IngestException.PathUsed(used.used(), digests.sha256());
      case Addition.NoRepository _ ->
          throw new IngestException.RepositoryNotFound(request.id().repository());
    };
  }
}
