package io.artifactserver.core.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChannelBookTest {
  private static final Channel STABLE = new Channel("boards", "stable");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456Z");

  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog(() -> NOW);
  private final InMemoryChannelStore store = new InMemoryChannelStore();
  private final ChannelBook book = book();

  private ChannelBook book() {
    return new ChannelBook(store, catalog, () -> NOW.plusNanos(789));
  }

  @BeforeEach
  void fill() {
    catalog.createRepository("boards", true, false);
    for (String path : List.of("1.0/fw", "1.1/fw", "1.2/fw", "board-a/1.0/fw", "1.20/fw")) {
      add(path);
    }
  }

  private void add(String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    DigestAlgorithm sha256 = DigestAlgorithm.SHA_256;
    catalog.add(
        new ArtifactId("boards", path),
        "text/plain",
        new BlobRef(BlobRef.newKey(), bytes.length),
        new Digests(Map.of(sha256, Digest.of(sha256, sha256.newMessageDigest().digest(bytes)))));
  }

  @Test
  void aChannelIsMadeAndSwitchedAndTellsItsHistory() throws Exception {
    assertThat(book.find(STABLE)).isEmpty();
    ChannelState first = book.point(STABLE, "1.0", "the first", _ -> {});
    assertThat(first).isEqualTo(new ChannelState(STABLE, 1, "1.0", 1, "the first", NOW));
    assertThat(first.artifact("fw")).isEqualTo(new ArtifactId("boards", "1.0/fw"));
    ChannelState second = book.point(STABLE, "board-a/1.0", "", _ -> {});
    assertThat(second.version()).isEqualTo(2);
    assertThat(book.find(STABLE)).contains(second);
    assertThat(book.of("boards")).containsExactly(second);
    assertThat(book.of("others")).isEmpty();
    assertThat(book.history(STABLE, Long.MAX_VALUE, 10)).containsExactly(second, first);
    assertThat(book.history(STABLE, 2, 10)).containsExactly(first);
    assertThat(book.history(STABLE, Long.MAX_VALUE, 1)).containsExactly(second);
    assertThat(book().find(STABLE)).contains(second);
  }

  @Test
  void eachRollbackGoesOneReleaseFurtherBack() throws Exception {
    book.point(STABLE, "1.0", "", _ -> {});
    book.point(STABLE, "1.1", "", _ -> {});
    book.point(STABLE, "1.1", "said again", _ -> {});
    book.point(STABLE, "1.2", "", _ -> {});
    ChannelState back = book.rollBack(STABLE, "broken", _ -> {});
    assertThat(back).isEqualTo(new ChannelState(STABLE, 5, "1.1", 3, "broken", NOW));
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("1.0");
    assertThatThrownBy(() -> book.rollBack(STABLE, "", _ -> {}))
        .isInstanceOf(ReleaseException.NothingBefore.class)
        .hasMessageContainingAll("stable", "1.0");
    book.point(STABLE, "1.2", "", _ -> {});
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("1.0");
  }

  @Test
  void aRollbackDoesNotGoBackToWhatWasDeleted() throws Exception {
    book.point(STABLE, "1.0", "", _ -> {});
    book.point(STABLE, "1.1", "", _ -> {});
    catalog.remove(new ArtifactId("boards", "1.0/fw"));
    assertThatThrownBy(() -> book.rollBack(STABLE, "", _ -> {}))
        .isInstanceOf(ReleaseException.EmptyRelease.class)
        .hasMessageContaining("1.0/");
    assertThat(book.find(STABLE).orElseThrow().release()).isEqualTo("1.1");
  }

  @Test
  void aDeletedChannelCountsOnWhenItComesAgain() throws Exception {
    ChannelState first = book.point(STABLE, "1.0", "", _ -> {});
    assertThat(book.delete(STABLE, _ -> {})).isEqualTo(first);
    assertThat(book.find(STABLE)).isEmpty();
    assertThat(book().find(STABLE)).isEmpty();
    assertThatThrownBy(() -> book.delete(STABLE, _ -> {}))
        .isInstanceOf(ReleaseException.NoChannel.class);
    assertThatThrownBy(() -> book.rollBack(STABLE, "", _ -> {}))
        .isInstanceOf(ReleaseException.NoChannel.class);
    assertThat(book.point(STABLE, "1.1", "", _ -> {}).version()).isEqualTo(3);
    assertThat(book.history(STABLE, Long.MAX_VALUE, 10))
        .extracting(ChannelState::release)
        .containsExactly("1.1", null, "1.0");
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("1.0");
  }

  @Test
  void aPreconditionIsToldTheStateAndRefuses() throws Exception {
    Consumer<Optional<ChannelState>> never =
        before -> {
          throw new IllegalStateException(before.map(ChannelState::release).orElse("none"));
        };
    assertThatThrownBy(() -> book.point(STABLE, "1.0", "", never)).hasMessage("none");
    book.point(STABLE, "1.0", "", _ -> {});
    assertThatThrownBy(() -> book.point(STABLE, "1.1", "", never)).hasMessage("1.0");
    assertThatThrownBy(() -> book.rollBack(STABLE, "", never)).hasMessage("1.0");
    assertThatThrownBy(() -> book.delete(STABLE, never)).hasMessage("1.0");
    assertThat(book.history(STABLE, Long.MAX_VALUE, 10)).hasSize(1);
  }

  /** The database went away in a commit: its outcome is unknown, and another change finds it. */
  @Test
  void whatTheDatabaseKnowsBetterCounts() throws Exception {
    book.point(STABLE, "1.0", "", _ -> {});
    store.add(new ChannelState(STABLE, 2, "1.1", 2, "", NOW));
    assertThat(
            book.point(
                    STABLE,
                    "1.2",
                    "",
                    before -> assertThat(before.orElseThrow().release()).isEqualTo("1.1"))
                .version())
        .isEqualTo(3);
  }

  @Test
  void whatCannotBeReleasedIsRefused() {
    assertThatThrownBy(() -> book.point(STABLE, "1.3", "", _ -> {}))
        .isInstanceOf(ReleaseException.EmptyRelease.class)
        .hasMessageContainingAll("1.3", "boards");
    assertThatThrownBy(() -> book.point(STABLE, "1.0/fw", "", _ -> {}))
        .isInstanceOf(ReleaseException.EmptyRelease.class);
    assertThatThrownBy(() -> book.point(new Channel("absent", "stable"), "1.0", "", _ -> {}))
        .isInstanceOf(ReleaseException.NoRepository.class);
    assertThatThrownBy(() -> book.point(STABLE, "../1.0", "", _ -> {}))
        .isInstanceOf(InvalidNameException.class);
    assertThat(book.find(STABLE)).isEmpty();
  }

  @Test
  void artifactsKeepTheAddressesThatTheyHave() throws Exception {
    add("@stable/fw");
    assertThatThrownBy(() -> book.point(STABLE, "1.0", "", _ -> {}))
        .isInstanceOf(ReleaseException.AddressTaken.class)
        .hasMessageContaining("@stable");
    catalog.remove(new ArtifactId("boards", "@stable/fw"));
    assertThat(book.point(STABLE, "1.0", "", _ -> {}).version()).isEqualTo(1);
  }

  @Test
  void aRepositoryHasSoManyChannelsAndNoMore() throws Exception {
    for (int i = 0; i < ChannelBook.MAX_CHANNELS; i++) {
      book.point(new Channel("boards", "c" + i), "1.0", "", _ -> {});
    }
    assertThatThrownBy(() -> book.point(STABLE, "1.0", "", _ -> {}))
        .isInstanceOf(ReleaseException.TooMany.class);
    book.point(new Channel("boards", "c7"), "1.1", "", _ -> {});
    book.delete(new Channel("boards", "c7"), _ -> {});
    assertThat(book.point(STABLE, "1.0", "", _ -> {}).version()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "boards, 1.2/fw,     true",
    "boards, 1.2/a/b,    true",
    "boards, 1.2,        false",
    "boards, 1.20/fw,    false",
    "boards, 1.1/fw,     false",
    "boards, a/1.2/fw,   false",
    "others, 1.2/fw,     false",
  })
  void aStateServesWhatLiesInItsFolder(String repository, String path, boolean isServed) {
    ChannelState state = new ChannelState(STABLE, 1, "1.2", 1, "", NOW);
    assertThat(state.serves(new ArtifactId(repository, path))).isEqualTo(isServed);
    assertThat(
            new ChannelState(STABLE, 2, null, 2, "", NOW).serves(new ArtifactId(repository, path)))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "@stable", "a/b", ".hidden", "a b"})
  void aNameThatIsNoneIsRefused(String name) {
    assertThat(Channel.isName(name)).isFalse();
    assertThatThrownBy(() -> new Channel("boards", name)).isInstanceOf(InvalidNameException.class);
  }
}
