package io.artifactserver.storage.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedRegister;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;

/** The forms' rows in PostgreSQL. Immutable, thread-safe. */
final class JpaDerivedRegister implements DerivedRegister {
  private final CatalogTransactions transactions;
  private final DerivedRows derived;
  private final BlobRows blobs;

  JpaDerivedRegister(CatalogTransactions transactions, DerivedRows derived, BlobRows blobs) {
    this.transactions = transactions;
    this.derived = derived;
    this.blobs = blobs;
  }

  @Override
  public List<Underived> missing(
      Collection<String> forms, long minLength, long maxLength, String after, int limit) {
    return transactions.read(() ->
        derived.missing(forms, forms.size(), minLength, maxLength, after, limit).stream()
            .map(row -> new Underived(row.toBlobRef(), row.sha256()))
            .toList());
  }

  @Override
  public List<Derived> of(BlobRef blob) {
    return transactions.read(
        () -> derived.of(blob.key()).stream().map(DerivedRow::toDerived).toList());
  }

  @Override
  public boolean add(BlobRef blob, Derived added) {
    return transactions.write(_ -> {
      // Locked, so that it is not forgotten before this is committed.
      Optional<BlobRow> row = blobs.lock(blob.key());
      return row.isPresent() && insert(row.get().id(), added) == 1;
    });
  }

  private int insert(long blobId, Derived added) {
    return switch (added) {
      case Derived.Stored stored ->
          derived.insert(
              blobId,
              stored.form(),
              stored.blob().key(),
              stored.blob().length(),
              stored.sha256().bytes(),
              stored.createdAt().truncatedTo(ChronoUnit.MICROS));
      case Derived.Skipped skipped -> derived.skip(blobId, skipped.form());
    };
  }

  @Override
  public List<BlobRef> forget(BlobRef blob) {
    return transactions.write(_ -> {
      Optional<BlobRow> row = blobs.lock(blob.key());
      List<BlobRef> forgotten = new ArrayList<>();
      for (DerivedRow each : derived.of(blob.key())) {
        if (each.toDerived() instanceof Derived.Stored stored) {
          forgotten.add(stored.blob());
        }
      }
      row.ifPresent(found -> derived.delete(found.id()));
      return forgotten;
    });
  }

  @Override
  public Folder folder(String repository, String folder, String form, int limit) {
    String end = PathRange.successor(folder);
    int length = folder.codePointCount(0, folder.length());
    return transactions.read(() -> {
      List<Member> members = new ArrayList<>();
      List<Waiting> waiting = new ArrayList<>();
      for (Object[] row : derived.folder(repository, folder, end, length, form, Limit.of(limit))) {
        ArtifactRow artifact = (ArtifactRow) row[0];
        if (row[1] == null) {
          waiting.add(new Waiting(artifact.path(), artifact.blob().toBlobRef().length()));
        } else if (((DerivedRow) row[1]).toDerived() instanceof Derived.Stored stored) {
          members.add(new Member(artifact.path(), artifact.blob().sha256(), stored));
        }
      }
      return new Folder(members, waiting, derived.hasStore(repository, folder, end, length));
    });
  }
}
