package io.artifactserver.storage.catalog.attachment;

import io.artifactserver.core.attachment.AffectedDevice;
import io.artifactserver.core.attachment.AffectedQuestion;
import io.artifactserver.core.attachment.Attachment;
import io.artifactserver.core.attachment.AttachmentBounds;
import io.artifactserver.core.attachment.AttachmentKind;
import io.artifactserver.core.attachment.AttachmentStore;
import io.artifactserver.core.attachment.DocumentReader.Affected;
import io.artifactserver.core.attachment.NewAttachment;
import io.artifactserver.core.attachment.StoredSignature;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The attachments in PostgreSQL. Their artifact's row is locked before they change, so that neither
 * its deletion nor a hold comes in between. Immutable, thread-safe.
 */
public record JdbcAttachmentStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements AttachmentStore {
  private static final String OF_ARTIFACT =
      """
      t.repository_id = (select id from repository where name = :repository) and t.path = :path
        and t.artifact_sha256 = :artifact
      """;

  private static final String COLUMNS =
      """
      t.sha256, t.kind, t.media_type, t.length, t.format, t.label_keys, t.label_values,
        t.created_at
      """;

  /**
   * "affected" is read from the VEX, "held" from the primary key of progress, and what each of
   * these devices was sent later from the index by device.
   */
  private static final String AFFECTED =
      """
      with r as (select id from repository where name = :repository),
      affected as (
        select distinct f.sha256
        from attachment t join attachment_affected f on f.attachment_id = t.id
        where t.repository_id = (select id from r) and t.sha256 = :vex and t.kind = 'VEX'
          and (:vulnerability = '' or f.vulnerability = :vulnerability)
      ),
      had as (
        select p.device, p.updated_at, a.path, regexp_replace(a.path, '^.*/', '') as file
        from affected f
        join progress p
          on p.repository_id = (select id from r) and p.sha256 = f.sha256 and p.device > :after
        join blob b on b.sha256 = p.sha256 and b.length = p.bytes
        join artifact a on a.blob_id = b.id and a.repository_id = p.repository_id
      )
      select h.device, min(h.path) as path, max(h.updated_at) as since
      from had h
      where not exists (
        select from progress q
        join blob c on c.sha256 = q.sha256 and c.length = q.bytes
        join artifact o on o.blob_id = c.id and o.repository_id = q.repository_id
        where q.repository_id = (select id from r) and q.device = h.device
          and q.updated_at > h.updated_at and regexp_replace(o.path, '^.*/', '') = h.file
          and not exists (select from affected x where x.sha256 = q.sha256))
      group by h.device
      order by h.device
      limit :limit
      """;

  @Override
  public Addition add(Artifact artifact, NewAttachment added, AttachmentBounds bounds) {
    return transactions.write(_ -> {
      Optional<Locked> locked = lock(artifact);
      if (locked.isEmpty()) {
        return new Addition.NoArtifact();
      }
      Attachment attachment = added.attachment();
      List<Attachment> present = rows(artifact);
      Optional<Attachment> same =
          present.stream().filter(each -> each.sha256().equals(attachment.sha256())).findFirst();
      if (same.isPresent()) {
        return new Addition.Present(same.get());
      }
      if (present.size() >= bounds.maxCount()) {
        return new Addition.TooMany();
      }
      if (total() + attachment.length() > bounds.maxTotal()) {
        return new Addition.Full();
      }
      insert(artifact, locked.get().repositoryId(), added);
      return new Addition.Added(attachment);
    });
  }

  private void insert(Artifact artifact, long repositoryId, NewAttachment added) {
    Attachment attachment = added.attachment();
    List<Map.Entry<String, String>> labels = List.copyOf(attachment.labels().values().entrySet());
    long id =
        jdbc.sql(
                """
                insert into attachment (
                  repository_id, path, artifact_sha256, sha256, kind, media_type, format,
                  label_keys, label_values, length, content, signed_digest, created_at)
                values (
                  :repositoryId, :path, :artifact, :sha256, :kind, :mediaType, :format,
                  :keys, :values, :length, :content, :digest, :createdAt)
                returning id
                """)
            .param("repositoryId", repositoryId)
            .param("path", artifact.path())
            .param("artifact", artifact.digests().sha256().bytes())
            .param("sha256", attachment.sha256().bytes())
            .param("kind", attachment.kind().name())
            .param("mediaType", attachment.mediaType())
            .param("format", attachment.format())
            .param("keys", labels.stream().map(Map.Entry::getKey).toArray(String[]::new))
            .param("values", labels.stream().map(Map.Entry::getValue).toArray(String[]::new))
            .param("length", attachment.length())
            .param("content", added.content())
            .param("digest", added.digest())
            .param("createdAt", Timestamp.from(attachment.createdAt()))
            .query((row, _) -> row.getLong(1))
            .single();
    List<Affected> affected = added.affected();
    if (!affected.isEmpty()) {
      jdbc.sql(
              """
              insert into attachment_affected (attachment_id, sha256, vulnerability)
              select :id, decode(t.sha256, 'hex'), t.vulnerability
              from unnest(:digests::text[], :names::text[]) as t (sha256, vulnerability)
              on conflict do nothing
              """)
          .param("id", id)
          .param(
              "digests", affected.stream().map(each -> each.sha256().hex()).toArray(String[]::new))
          .param("names", affected.stream().map(Affected::vulnerability).toArray(String[]::new))
          .update();
    }
  }

  @Override
  public List<Attachment> list(Artifact artifact) {
    return transactions.read(() -> rows(artifact));
  }

  @Override
  public Optional<byte[]> content(Artifact artifact, Digest attachment) {
    return transactions.read(() ->
        of(
                artifact,
                "select t.content from attachment t where "
                    + OF_ARTIFACT
                    + "and t.sha256 = :sha256")
            .param("sha256", attachment.bytes())
            .query((row, _) -> row.getBytes(1))
            .optional());
  }

  @Override
  public List<StoredSignature> signatures(String repository, List<Artifact> artifacts) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select path, artifact_sha256, sha256, content, signed_digest from attachment
                where repository_id = (select id from repository where name = :repository)
                  and path = any(:paths) and kind = 'SIGNATURE'
                """)
            .param("repository", repository)
            .param("paths", artifacts.stream().map(Artifact::path).toArray(String[]::new))
            .query((row, _) ->
                new StoredSignature(
                    row.getString("path"),
                    Digest.of(DigestAlgorithm.SHA_256, row.getBytes("artifact_sha256")),
                    Digest.of(DigestAlgorithm.SHA_256, row.getBytes("sha256")),
                    row.getBytes("content"),
                    row.getBytes("signed_digest")))
            .list());
  }

  @Override
  public List<AffectedDevice> affected(AffectedQuestion question) {
    return transactions.read(() ->
        jdbc.sql(AFFECTED)
            .param("repository", question.repository())
            .param("vex", question.vex().bytes())
            .param("vulnerability", question.vulnerability())
            .param("after", question.after())
            .param("limit", question.limit())
            .query((row, _) ->
                new AffectedDevice(
                    row.getString("device"),
                    row.getString("path"),
                    row.getTimestamp("since").toInstant()))
            .list());
  }

  @Override
  public boolean hasVex(String repository, Digest vex) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select exists (
                  select from attachment
                  where repository_id = (select id from repository where name = :repository)
                    and sha256 = :vex and kind = 'VEX')
                """)
            .param("repository", repository)
            .param("vex", vex.bytes())
            .query((row, _) -> row.getBoolean(1))
            .single());
  }

  @Override
  public Removal remove(Artifact artifact, Digest attachment) {
    return transactions.write(_ -> {
      Optional<Locked> locked = lock(artifact);
      if (locked.isEmpty()) {
        return new Removal.Absent();
      }
      @Nullable Hold hold = locked.get().hold();
      if (hold != null) {
        return new Removal.Held(hold);
      }
      int deleted =
          of(artifact, "delete from attachment t where " + OF_ARTIFACT + "and t.sha256 = :sha256")
              .param("sha256", attachment.bytes())
              .update();
      return deleted == 1 ? new Removal.Removed() : new Removal.Absent();
    });
  }

  @Override
  public int deleteOrphans(Instant before) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                delete from attachment t
                where not exists (
                    select from artifact a join blob b on b.id = a.blob_id
                    where a.repository_id = t.repository_id and a.path = t.path
                      and b.sha256 = t.artifact_sha256)
                  and not exists (
                    select from used_path u
                    where u.repository_id = t.repository_id and u.path = t.path
                      and u.sha256 = t.artifact_sha256 and u.deleted_at > :before)
                """)
            .param("before", Timestamp.from(before))
            .update());
  }

  /** Locks the artifact, if it has the same bytes still. */
  private Optional<Locked> lock(Artifact artifact) {
    return of(
            artifact,
            """
            select a.repository_id,
              case when a.held_until > now() then a.held_until end as held_until, a.hold_reason
            from artifact a join blob b on b.id = a.blob_id
            where a.repository_id = (select id from repository where name = :repository)
              and a.path = :path and b.sha256 = :artifact
            for update of a
            """)
        .query((row, _) -> {
          @Nullable Timestamp until = row.getTimestamp("held_until");
          return new Locked(
              row.getLong("repository_id"),
              until == null ? null : new Hold(until.toInstant(), row.getString("hold_reason")));
        })
        .optional();
  }

  private List<Attachment> rows(Artifact artifact) {
    return of(
            artifact,
            "select " + COLUMNS + "from attachment t where " + OF_ARTIFACT + "order by t.id")
        .query((row, _) -> attachment(row))
        .list();
  }

  private long total() {
    return jdbc.sql("select coalesce(sum(length), 0) from attachment")
        .query((row, _) -> row.getLong(1))
        .single();
  }

  private JdbcClient.StatementSpec of(Artifact artifact, String statement) {
    return jdbc.sql(statement)
        .param("repository", artifact.repository().name())
        .param("path", artifact.path())
        .param("artifact", artifact.digests().sha256().bytes());
  }

  private static Attachment attachment(ResultSet row) throws SQLException {
    String[] keys = (String[]) row.getArray("label_keys").getArray();
    String[] values = (String[]) row.getArray("label_values").getArray();
    SortedMap<String, String> labels = new TreeMap<>();
    for (int i = 0; i < keys.length; i++) {
      labels.put(keys[i], values[i]);
    }
    return new Attachment(
        Digest.of(DigestAlgorithm.SHA_256, row.getBytes("sha256")),
        AttachmentKind.valueOf(row.getString("kind")),
        row.getString("media_type"),
        row.getInt("length"),
        row.getString("format"),
        new Labels(labels),
        row.getTimestamp("created_at").toInstant());
  }

  /**
   * An artifact's locked row.
   *
   * @param hold that keeps it; null if there is none
   */
  private record Locked(long repositoryId, @Nullable Hold hold) {}
}
