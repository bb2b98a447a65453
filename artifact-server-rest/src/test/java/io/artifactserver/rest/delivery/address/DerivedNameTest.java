package io.artifactserver.rest.delivery.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.derive.InMemoryDerivedRegister;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which paths name a form or a chunk, and which do not. */
public class DerivedNameTest {
  private static final String ID = "0123456789abcdef".repeat(4);
  private static final DerivationRules RULES = rules(new Headed(), new Chunked());

  @ParameterizedTest
  @CsvSource({
    "a.zsync, a, zsync",
    "fw/a.img.zsync, fw/a.img, zsync",
    "fw/a.caibx, fw/a, caibx",
    "a.zsync.caibx, a.zsync, caibx",
    "fw/x.castr/a.caibx, fw/x.castr/a, caibx",
  })
  void namesForm(String path, String artifact, String form) {
    assertThat(parse(path))
        .isInstanceOfSatisfying(
            DerivedName.OfForm.class,
            name -> {
              assertThat(name.artifact()).isEqualTo(new ArtifactId("r", artifact));
              assertThat(name.form().name()).isEqualTo(form);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "default.castr/0123/ID.cacnk, '', default, false",
    "fw/default.castr/0123/ID.cacnk, fw/, default, false",
    "fw/v1/a.img.castr/0123/ID.cacnk, fw/v1/, a.img, false",
    "fw/a.castr/0123/ID, fw/, a, true",
    "a.castr/a.castr/0123/ID, a.castr/, a, true",
  })
  void namesChunk(String path, String folder, String store, boolean isPlain) {
    assertThat(parse(path.replace("ID", ID)))
        .isInstanceOfSatisfying(
            DerivedName.OfChunk.class,
            name -> {
              assertThat(name.folder()).isEqualTo(new DerivedName.Folder("r", folder));
              assertThat(name.store()).isEqualTo(store);
              assertThat(name.hex()).isEqualTo(ID);
              assertThat(name.id()).hasSize(32).startsWith(1, 0x23, 0x45);
              assertThat(name.isPlain()).isEqualTo(isPlain);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "fw/a.img.castr/0123/ID.cacnk, fw/a.img",
    "a.castr/0123/ID, a",
    "fw/.castr/0123/ID, ''",
    ".castr/0123/ID, ''",
    "fw/a.img/0123/ID.cacnk, ''",
    "fw/a.img.castr/0124/ID.cacnk, ''",
    "fw/a.img.castr, ''",
    "a.img.caibx, ''",
  })
  void aStoreIsNamedAfterAnArtifact(String path, String owner) {
    assertThat(DerivedName.ownerOfStore(new ArtifactId("r", path.replace("ID", ID))))
        .isEqualTo(owner.isEmpty() ? Optional.empty() : Optional.of(new ArtifactId("r", owner)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        ".zsync",
        "fw/.zsync",
        "a.zsync/b",
        "ID",
        "0123/ID",
        "x/0123/ID.cacnk",
        ".castr/0123/ID.cacnk",
        "fw/.castr/0123/ID.cacnk",
        "fw/a.castr/ID.cacnk",
        "fw/a.castr/0124/ID.cacnk",
        "fw/a.castr/123/ID.cacnk",
        "fw/a.castr/x0123/ID.cacnk",
        "fw/a.castr/x/0123/ID.cacnk",
        "fw/a.castr/0123/ID.cacn",
        "fw/a.castr/0123/ID0",
        "fw/a.castr/0123/ID.cacnk/x",
        "fw/acastr/0123/ID.cacnk",
      })
  void namesNothing(String path) {
    assertThat(DerivedName.of(new ArtifactId("r", path.replace("ID", ID)), RULES)).isEmpty();
  }

  @Test
  void idsAreLowerCase() {
    String upper = ID.toUpperCase(Locale.ROOT);
    assertThat(DerivedName.of(new ArtifactId("r", "default.castr/0123/" + upper + ".cacnk"), RULES))
        .isEmpty();
    String other = "0123" + "g".repeat(60);
    assertThat(DerivedName.of(new ArtifactId("r", "default.castr/0123/" + other), RULES)).isEmpty();
  }

  @Test
  void nothingIsDerivedWithoutRules() {
    DerivationRules none = rules();
    assertThat(DerivedName.of(new ArtifactId("r", "a.zsync"), none)).isEmpty();
    assertThat(DerivedName.of(new ArtifactId("r", "default.castr/0123/" + ID), none)).isEmpty();
    assertThat(none.suits(new ArtifactId("r", "a"), 500)).isFalse();
  }

  private static DerivationRules rules(DerivedForm... forms) {
    return new DerivationRules(
        List.of(forms), 1, 1000, new InMemoryDerivedRegister(new InMemoryArtifactCatalog(), "r"));
  }

  private static DerivedName parse(String path) {
    return DerivedName.of(new ArtifactId("r", path), RULES).orElseThrow();
  }

  private record Headed() implements DerivedForm.Headed {
    @Override
    public String name() {
      return "zsync";
    }

    @Override
    public String suffix() {
      return ".zsync";
    }

    @Override
    public String mediaType() {
      return "text/plain";
    }

    @Override
    public ByteBuffer head(Artifact artifact) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Derivation begin(long length, Derivation.Sink sink) {
      throw new UnsupportedOperationException();
    }
  }

  public record Chunked() implements DerivedForm.Chunked {
    @Override
    public String name() {
      return "caibx";
    }

    @Override
    public String suffix() {
      return ".caibx";
    }

    @Override
    public String mediaType() {
      return "text/plain";
    }

    @Override
    public ChunkIndex index(ByteBuffer form) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FramedChunk frame(ChunkIndex.Chunk chunk) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Derivation begin(long length, Derivation.Sink sink) {
      throw new UnsupportedOperationException();
    }
  }
}
