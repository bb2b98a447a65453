package io.artifactserver.core.derive;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.derive.DerivedRegister.Underived;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Use case: compute the forms of blobs that lack them, and keep each as a blob beside. Thread-safe;
 * runs beside downloads and uploads. A blob is read once for all its forms. The catalog is the only
 * record of what is left to do, so a run that was killed is resumed by the next: at worst it leaves
 * orphans for the sweeper.
 */
public final class ArtifactDerivation {
  private static final int PAGE = 100;
  private static final int BUFFER_LENGTH = 512 * 1024;

  /** Enough to tell text and programs from what is compressed; 1 MiB in all. */
  private static final int SAMPLES = 16;

  private static final int SAMPLE_LENGTH = 64 * 1024;

  private final DerivationRules rules;
  private final DerivedRegister derived;
  private final BlobRegister register;
  private final BlobStores stores;
  private final double share;
  private final InstantSource clock;

  /** Keys of blobs that are not tried again while they are suspect. */
  private final Set<String> damaged = ConcurrentHashMap.newKeySet();

  /**
   * Wires the use case.
   *
   * @param share of one processor that a run may take, above 0, at most 1
   */
  public ArtifactDerivation(
      DerivationRules rules,
      DerivedRegister derived,
      BlobRegister register,
      BlobStores stores,
      double share,
      InstantSource clock) {
    this.rules = rules;
    this.derived = derived;
    this.register = register;
    this.stores = stores;
    this.share = share;
    this.clock = clock;
  }

  /**
   * Computes what is missing, one blob after the other.
   *
   * @throws StorageException if a store cannot be asked; the next run goes on
   */
  public Run run() throws StorageException {
    if (rules.forms().isEmpty()) {
      return new Run(0, 0, 0);
    }
    List<String> names = rules.forms().stream().map(DerivedForm::name).toList();
    int blobs = 0;
    int skipped = 0;
    damaged.retainAll(register.suspects(Set.copyOf(damaged)));
    String after = "";
    List<Underived> page;
    do {
      page = derived.missing(names, rules.minLength(), rules.maxLength(), after, PAGE);
      for (Underived each : page) {
        after = each.blob().key();
        if (damaged.contains(after)) {
          continue;
        }
        try {
          if (derive(each)) {
            blobs++;
          } else {
            skipped++;
          }
        } catch (StorageException.BlobLost e) {
          // The others can still be derived; the artifact itself is the operator's worry.
          register.suspect(each.blob());
          damaged.add(after);
        }
      }
    } while (page.size() == PAGE);
    return new Run(blobs, skipped, damaged.size());
  }

  /**
   * Drops a blob's forms; the next run computes them again.
   *
   * @throws StorageException if a form's blob could not be deleted; it is an orphan then
   */
  public void rebuild(BlobRef blob) throws StorageException {
    List<BlobRef> dropped = derived.forget(blob);
    rules.changed();
    for (BlobRef form : dropped) {
      stores.delete(form);
    }
  }

  /** Returns false if no form was made, because the content gains nothing. */
  private boolean derive(Underived content) throws StorageException {
    BlobRef blob = content.blob();
    Set<String> known =
        derived.of(blob).stream().map(Derived::form).collect(Collectors.toUnmodifiableSet());
    List<DerivedForm> missing =
        rules.forms().stream().filter(form -> !known.contains(form.name())).toList();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    List<Making> makings = new ArrayList<>();
    try (RangeReader reader = stores.blob(blob).open(ByteRange.whole(blob.length()))) {
      boolean isOpen = fill(reader, buffer);
      if (CompressedStream.isOne(buffer.array(), buffer.limit())) {
        missing.forEach(form -> skip(blob, form));
        return false;
      }
      for (DerivedForm form : missing) {
        if (form instanceof DerivedForm.Packed packed && !packed.suits(sample(blob))) {
          skip(blob, form);
          continue;
        }
        makings.add(new Making(form, blob.length(), stores.of(blob.encrypted()).begin()));
      }
      if (makings.isEmpty()) {
        return false;
      }
      MessageDigest sha256 = DigestAlgorithm.SHA_256.newMessageDigest();
      while (isOpen) {
        long start = System.nanoTime();
        sha256.update(buffer.duplicate());
        for (Making making : makings) {
          making.derivation.update(buffer.duplicate());
        }
        isOpen = fill(reader, buffer);
        pause(System.nanoTime() - start);
      }
      if (!MessageDigest.isEqual(sha256.digest(), content.sha256().bytes())) {
        throw new StorageException.BlobCorrupt(
            stores.plain().name(), blob, "its bytes do not match its digest", null);
      }
      for (Making making : makings) {
        keep(blob, making);
      }
      return true;
    } finally {
      makings.forEach(making -> making.upload.close());
    }
  }

  private void skip(BlobRef blob, DerivedForm form) {
    derived.add(blob, new Derived.Skipped(form.name()));
  }

  private List<ByteBuffer> sample(BlobRef blob) throws StorageException {
    int length = (int) Math.min(SAMPLE_LENGTH, blob.length());
    List<ByteBuffer> sample = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      long position = (blob.length() - length) / (SAMPLES - 1) * i;
      ByteBuffer piece = ByteBuffer.allocate(length);
      try (RangeReader reader = stores.blob(blob).open(new ByteRange(position, length))) {
        if (fill(reader, piece)) {
          sample.add(piece);
        }
      }
    }
    return sample;
  }

  private void keep(BlobRef blob, Making making) throws StorageException {
    making.derivation.finish();
    BlobRef form = making.upload.commit();
    Digest sha256 = Digest.of(DigestAlgorithm.SHA_256, making.sha256.digest());
    // If add() throws, its outcome is unknown: the sweeper removes the blob if it is an orphan.
    if (!derived.add(blob, new Derived.Stored(making.form, form, sha256, clock.instant()))) {
      stores.delete(form);
    }
  }

  /** Returns false if there is nothing left. */
  private static boolean fill(RangeReader reader, ByteBuffer buffer) throws StorageException {
    buffer.clear();
    while (buffer.hasRemaining() && reader.read(buffer) >= 0) {
      // Until it is full.
    }
    return buffer.flip().hasRemaining();
  }

  private void pause(long workNanos) throws StorageException {
    if (Thread.currentThread().isInterrupted()) {
      throw new StorageException.StorageUnavailable(
          stores.plain().name(), "the server stops; the next start goes on", null);
    }
    if (share < 1) {
      LockSupport.parkNanos((long) (workNanos * (1 - share) / share));
    }
  }

  /**
   * The result of a run.
   *
   * @param blobs that got forms
   * @param skipped blobs that gain nothing by them
   * @param damaged blobs that are not tried again while they are suspect
   */
  public record Run(int blobs, int skipped, int damaged) {}

  /** One form on its way into its own blob. */
  private static final class Making {
    private final String form;
    private final BlobUpload upload;
    private final MessageDigest sha256 = DigestAlgorithm.SHA_256.newMessageDigest();
    private final Derivation derivation;

    Making(DerivedForm form, long length, BlobUpload upload) {
      this.form = form.name();
      this.upload = upload;
      this.derivation =
          form.begin(
              length,
              bytes -> {
                sha256.update(bytes.duplicate());
                upload.write(bytes);
              });
    }
  }
}
