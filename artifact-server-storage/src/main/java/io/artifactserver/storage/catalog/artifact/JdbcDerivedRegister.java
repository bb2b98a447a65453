package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedRegister;
import io.artifactserver.core.derive.FormPaths;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The forms' rows in PostgreSQL. Immutable, thread-safe. */
public record JdbcDerivedRegister(
    CatalogTransactions transactions, DerivedRows derived, BlobRows blobs, JdbcClient jdbc)
    implements DerivedRegister {
  @Override
  public List<Underived> missing(
      Collection<String> forms, long minLength, long maxLength, String after, int limit) {
    return transactions.read(() ->
        derived.missing(forms, minLength, maxLength, after, limit).stream()
            .map(row -> new Underived(row.ref(), row.sha256()))
            .toList());
  }

  @Override
  public List<Derived> of(BlobRef blob) {
    return transactions.read(() -> derived.of(blob.key()));
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
      case Derived.Stored stored -> derived.insert(blobId, stored);
      case Derived.Skipped skipped -> derived.skip(blobId, skipped.form());
    };
  }

  @Override
  public List<BlobRef> forget(BlobRef blob) {
    return transactions.write(_ -> {
      Optional<BlobRow> row = blobs.lock(blob.key());
      List<BlobRef> forgotten = derived.stored(blob.key());
      row.ifPresent(found -> derived.delete(found.id()));
      return forgotten;
    });
  }

  @Override
  public Folder folder(
      String repository,
      String folder,
      String store,
      String form,
      String second,
      long minLength,
      int limit) {
    String end = PathRange.beginningWith(folder).end();
    int length = folder.codePointCount(0, folder.length());
    String own = store.isEmpty() ? "" : folder + store;
    return transactions.read(() -> {
      List<Member> members = new ArrayList<>();
      List<Waiting> waiting = new ArrayList<>();
      for (DerivedRows.Listed row :
          derived.folder(repository, folder, end, length, own, form, second, minLength, limit)) {
        if (row.form() == null) {
          waiting.add(new Waiting(row.path(), row.length()));
        } else if (row.form() instanceof Derived.Stored stored) {
          Optional<Derived.Stored> other =
              row.second() instanceof Derived.Stored also ? Optional.of(also) : Optional.empty();
          members.add(new Member(row.path(), row.length(), row.sha256(), stored, other));
        }
      }
      return new Folder(members, waiting);
    });
  }

  @Override
  public List<String> likeChunks(String repository, String folder, int limit) {
    String end = PathRange.beginningWith(folder).end();
    int length = folder.codePointCount(0, folder.length());
    return transactions.read(() -> derived.likeChunks(repository, folder, end, length, limit));
  }

  @Override
  public Map<String, FormPaths> paths() {
    return transactions.read(() -> {
      Map<String, FormPaths> paths = new HashMap<>();
      jdbc.sql(
              """
              select r.name, f.patterns
              from repository_forms f join repository r on r.id = f.repository_id
              """)
          .query(row -> {
            String[] patterns = (String[]) row.getArray(2).getArray();
            paths.put(row.getString(1), new FormPaths(List.of(patterns)));
          });
      return paths;
    });
  }

  @Override
  public boolean putPaths(String repository, FormPaths paths) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                insert into repository_forms (repository_id, patterns)
                select id, :patterns from repository where name = :name
                on conflict (repository_id) do update set patterns = excluded.patterns
                """)
            .param("patterns", paths.patterns().toArray(String[]::new))
            .param("name", repository)
            .update())
        == 1;
  }
}
