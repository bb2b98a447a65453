package io.artifactserver.core.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.release.ChannelState.Share;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChannelBookTest {
  private static final Channel STABLE = new Channel("boards", "stable");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456Z");
  private static final Labels RING = Labels.of(Map.of("ring", "canary"));
  private static final Labels LABELS = Labels.of(Map.of("ring", "canary", "site", "lab"));
  private static final Follower NOBODY = new Follower("", "", Labels.NONE, false, Optional.empty());

  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog(() -> NOW);
  private final InMemoryChannelStore store = new InMemoryChannelStore();
  private final List<ChannelEvent> events = new ArrayList<>();
  private final ChannelBook book = book();

  private ChannelBook book() {
    return new ChannelBook(store, catalog, new AnyRelease(), () -> NOW.plusNanos(789), events::add);
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
    ChannelState first = book.point(STABLE, "1.0", Rollout.ALL, "the first", _ -> {});
    assertThat(first)
        .isEqualTo(new ChannelState(STABLE, 1, "1.0", Rollout.ALL, 1, "the first", NOW));
    ChannelState second = book.point(STABLE, "board-a/1.0", Rollout.ALL, "", _ -> {});
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
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.1", Rollout.ALL, "said again", _ -> {});
    book.point(STABLE, "1.2", Rollout.ALL, "", _ -> {});
    ChannelState back = book.rollBack(STABLE, "broken", _ -> {});
    assertThat(back).isEqualTo(new ChannelState(STABLE, 5, "1.1", Rollout.ALL, 3, "broken", NOW));
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("1.0");
    assertThatThrownBy(() -> book.rollBack(STABLE, "", _ -> {}))
        .isInstanceOf(ReleaseException.NothingBefore.class)
        .hasMessageContainingAll("stable", "1.0");
    book.point(STABLE, "1.2", Rollout.ALL, "", _ -> {});
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("1.0");
  }

  @Test
  void aRollbackDoesNotGoBackToWhatWasDeleted() throws Exception {
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {});
    catalog.remove(new ArtifactId("boards", "1.0/fw"));
    assertThatThrownBy(() -> book.rollBack(STABLE, "", _ -> {}))
        .isInstanceOf(ReleaseException.EmptyRelease.class)
        .hasMessageContaining("1.0/");
    assertThat(book.find(STABLE).orElseThrow().release()).isEqualTo("1.1");
  }

  @Test
  void aDeletedChannelCountsOnWhenItComesAgain() throws Exception {
    ChannelState first = book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    assertThat(book.delete(STABLE, _ -> {})).isEqualTo(first);
    assertThat(book.find(STABLE)).isEmpty();
    assertThat(book().find(STABLE)).isEmpty();
    assertThatThrownBy(() -> book.delete(STABLE, _ -> {}))
        .isInstanceOf(ReleaseException.NoChannel.class);
    assertThatThrownBy(() -> book.rollBack(STABLE, "", _ -> {}))
        .isInstanceOf(ReleaseException.NoChannel.class);
    assertThat(book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {}).version()).isEqualTo(3);
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
    assertThatThrownBy(() -> book.point(STABLE, "1.0", Rollout.ALL, "", never)).hasMessage("none");
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    assertThatThrownBy(() -> book.point(STABLE, "1.1", Rollout.ALL, "", never)).hasMessage("1.0");
    assertThatThrownBy(() -> book.rollBack(STABLE, "", never)).hasMessage("1.0");
    assertThatThrownBy(() -> book.delete(STABLE, never)).hasMessage("1.0");
    assertThat(book.history(STABLE, Long.MAX_VALUE, 10)).hasSize(1);
  }

  /** The database went away in a commit: its outcome is unknown, and another change finds it. */
  @Test
  void whatTheDatabaseKnowsBetterCounts() throws Exception {
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    store.add(new ChannelState(STABLE, 2, "1.1", Rollout.ALL, 2, "", NOW), () -> {});
    assertThat(
            book.point(
                    STABLE,
                    "1.2",
                    Rollout.ALL,
                    "",
                    before -> assertThat(before.orElseThrow().release()).isEqualTo("1.1"))
                .version())
        .isEqualTo(3);
  }

  @Test
  void whatCannotBeReleasedIsRefused() {
    assertThatThrownBy(() -> book.point(STABLE, "1.3", Rollout.ALL, "", _ -> {}))
        .isInstanceOf(ReleaseException.EmptyRelease.class)
        .hasMessageContainingAll("1.3", "boards");
    assertThatThrownBy(() -> book.point(STABLE, "1.0/fw", Rollout.ALL, "", _ -> {}))
        .isInstanceOf(ReleaseException.EmptyRelease.class);
    assertThatThrownBy(
            () -> book.point(new Channel("absent", "stable"), "1.0", Rollout.ALL, "", _ -> {}))
        .isInstanceOf(ReleaseException.NoRepository.class);
    assertThatThrownBy(() -> book.point(STABLE, "../1.0", Rollout.ALL, "", _ -> {}))
        .isInstanceOf(InvalidNameException.class);
    assertThat(book.find(STABLE)).isEmpty();
  }

  @Test
  void artifactsKeepTheAddressesThatTheyHave() throws Exception {
    add("@stable/fw");
    assertThatThrownBy(() -> book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {}))
        .isInstanceOf(ReleaseException.AddressTaken.class)
        .hasMessageContaining("@stable");
    catalog.remove(new ArtifactId("boards", "@stable/fw"));
    assertThat(book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {}).version()).isEqualTo(1);
  }

  @Test
  void aRepositoryHasSoManyChannelsAndNoMore() throws Exception {
    for (int i = 0; i < ChannelBook.MAX_CHANNELS; i++) {
      book.point(new Channel("boards", "c" + i), "1.0", Rollout.ALL, "", _ -> {});
    }
    assertThatThrownBy(() -> book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {}))
        .isInstanceOf(ReleaseException.TooMany.class);
    book.point(new Channel("boards", "c7"), "1.1", Rollout.ALL, "", _ -> {});
    book.delete(new Channel("boards", "c7"), _ -> {});
    assertThat(book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {}).version()).isEqualTo(1);
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
    ChannelState state = new ChannelState(STABLE, 1, "1.2", Rollout.ALL, 1, "", NOW);
    assertThat(state.releaseWith(new ArtifactId(repository, path)))
        .isEqualTo(isServed ? Optional.of("1.2") : Optional.empty());
    assertThat(
            new ChannelState(STABLE, 2, null, Rollout.ALL, 2, "", NOW)
                .releaseWith(new ArtifactId(repository, path)))
        .isEmpty();
  }

  private static Rollout some(int percentage) {
    return new Rollout(
        percentage, "does not count", false, List.of(), Labels.NONE, List.of(), List.of(), null);
  }

  @Test
  void theBaseOfAStageIsWhatAllHadBefore() throws Exception {
    assertThat(book.point(STABLE, "1.0", some(10), "", _ -> {}).rollout().base()).isNull();
    assertThat(book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {}).rollout().base()).isNull();
    assertThat(book.point(STABLE, "1.1", some(10), "", _ -> {}).rollout().base()).isEqualTo("1.0");
    assertThat(book.point(STABLE, "1.1", some(50), "", _ -> {}).rollout().base()).isEqualTo("1.0");
    assertThat(book.point(STABLE, "1.2", some(10), "", _ -> {}).rollout().base()).isEqualTo("1.0");
    assertThat(book.pause(STABLE, true, "", _ -> {}).rollout())
        .isEqualTo(some(10).over("1.0").paused(true));
    assertThat(book.pause(STABLE, false, "", _ -> {}).rollout()).isEqualTo(some(10).over("1.0"));
    assertThatThrownBy(() -> book.unlessReleased(new ArtifactId("boards", "1.0/fw"), () -> 0))
        .isInstanceOf(ReleaseException.Released.class)
        .hasMessageContaining("the release \"1.0\"");
    assertThat(book.unlessReleased(new ArtifactId("boards", "1.1/fw"), () -> 7)).isEqualTo(7);
  }

  /** The release before this one was never for all. */
  @Test
  void aStageIsRolledBackToItsBase() throws Exception {
    book.point(STABLE, "board-a/1.0", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.1", some(50), "", _ -> {});
    book.point(STABLE, "1.2", some(10), "", _ -> {});
    ChannelState back = book.rollBack(STABLE, "no", _ -> {});
    assertThat(back).isEqualTo(new ChannelState(STABLE, 5, "1.0", Rollout.ALL, 2, "no", NOW));
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("board-a/1.0");
  }

  /** With a rule, the last stage may go back, too. */
  @Test
  void theLastStageKeepsItsBaseWhileItMayGoBack() throws Exception {
    StopRule rule = new StopRule(5, Duration.ofHours(1), 1, Duration.ofMinutes(1));
    Rollout watched =
        new Rollout(100, null, false, List.of(), Labels.NONE, List.of(), List.of(), rule);
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    ChannelState all = book.point(STABLE, "1.1", watched, "", _ -> {});
    assertThat(all.rollout().base()).isEqualTo("1.0");
    assertThat(book.stop(all, "too many").orElseThrow().release()).isEqualTo("1.0");
    book.point(STABLE, "1.1", watched, "", _ -> {});
    assertThat(book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {}).rollout().base()).isNull();
  }

  @Test
  void aReleaseForAllThatIsPausedHasWhatWasBeforeAsItsBase() throws Exception {
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    assertThat(book.pause(STABLE, true, "", _ -> {}).rollout().base()).isNull();
    book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {});
    ChannelState paused = book.pause(STABLE, true, "", _ -> {});
    assertThat(paused.share(NOBODY, NOW)).isEqualTo(Share.WAIT);
    assertThat(paused.release(Share.WAIT)).contains("1.0");
    assertThat(book.pause(STABLE, false, "", _ -> {}).rollout()).isEqualTo(Rollout.ALL);
    catalog.remove(new ArtifactId("boards", "1.0/fw"));
    assertThat(book.pause(STABLE, true, "", _ -> {}).rollout().base()).isNull();
  }

  /** Devices do not get a release that was rolled back, and a rollback does not go there. */
  @Test
  void aPauseDoesNotForgetARollback() throws Exception {
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.2", Rollout.ALL, "", _ -> {});
    book.rollBack(STABLE, "broken", _ -> {});
    assertThat(book.pause(STABLE, true, "", _ -> {}).rollout().base()).isEqualTo("1.0");
    ChannelState resumed = book.pause(STABLE, false, "", _ -> {});
    assertThat(resumed.restored()).isEqualTo(2);
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("1.0");
  }

  @Test
  void anEventSaysThatDevicesGetSomethingElse() throws Exception {
    ChannelState first = book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.0", Rollout.ALL, "said again", _ -> {});
    ChannelState before = book.find(STABLE).orElseThrow();
    ChannelState ten = book.point(STABLE, "1.1", some(10), "", _ -> {});
    book.pause(STABLE, true, "", _ -> {});
    ChannelState resumed = book.pause(STABLE, false, "", _ -> {});
    ChannelState twenty = book.point(STABLE, "1.1", some(20), "", _ -> {});
    ChannelState stopped = book.stop(twenty, "too many").orElseThrow();
    ChannelState all = book.point(STABLE, "1.2", Rollout.ALL, "", _ -> {});
    book.delete(STABLE, _ -> {});
    assertThat(events)
        .containsExactly(
            new ChannelEvent(ChannelEvent.Kind.RELEASED, null, first),
            new ChannelEvent(ChannelEvent.Kind.STAGE_REACHED, before, ten),
            new ChannelEvent(ChannelEvent.Kind.STAGE_REACHED, resumed, twenty),
            new ChannelEvent(ChannelEvent.Kind.STOPPED, twenty, stopped),
            new ChannelEvent(ChannelEvent.Kind.RELEASED, stopped, all));
  }

  @Test
  void aStageWaitsForItsWindows() throws Exception {
    Rollout nights =
        new Rollout(
            50,
            null,
            false,
            List.of(),
            Labels.NONE,
            List.of(),
            List.of(TimeWindow.parse("22:00-04:00"), TimeWindow.parse("12:00-12:30")),
            null);
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    ChannelState state = book.point(STABLE, "1.1", nights, "", _ -> {});
    int waiting = 0;
    for (int i = 0; i < 100; i++) {
      Follower device = new Follower("device-" + i, "", Labels.NONE, false, Optional.empty());
      Share atNight = state.share(device, Instant.parse("2026-03-01T23:00:00Z"));
      Share byDay = state.share(device, Instant.parse("2026-03-01T11:59:59Z"));
      assertThat(byDay).isEqualTo(atNight == Share.RELEASE ? Share.WAIT : Share.BASE);
      assertThat(state.share(device, Instant.parse("2026-03-01T12:29:59Z"))).isEqualTo(atNight);
      waiting += byDay == Share.WAIT ? 1 : 0;
    }
    assertThat(waiting).isBetween(30, 70);
  }

  @Test
  void aStageThatFailsGoesBackToItsBase() throws Exception {
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {});
    ChannelState failing = book.point(STABLE, "1.2", some(10), "", _ -> {});
    ChannelState raised = book.point(STABLE, "1.2", some(20), "", _ -> {});
    assertThat(book.stop(failing, "too late")).isEmpty();
    ChannelState stopped = book.stop(raised, "too many").orElseThrow();
    assertThat(stopped.release()).isEqualTo("1.1");
    assertThat(stopped.rollout()).isEqualTo(Rollout.ALL);
    assertThat(stopped.comment()).isEqualTo("too many");
    // Not to what has just failed.
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("1.0");
  }

  @Test
  void aFirstReleaseThatFailsIsPaused() throws Exception {
    ChannelState failing = book.point(STABLE, "1.0", some(10), "", _ -> {});
    ChannelState stopped = book.stop(failing, "too many").orElseThrow();
    assertThat(stopped.release()).isEqualTo("1.0");
    assertThat(stopped.rollout().isPaused()).isTrue();
  }

  @Test
  void aStageIsForThoseWhomItNames() throws Exception {
    Rollout lab =
        new Rollout(
            100,
            null,
            false,
            List.of("lab-*"),
            RING,
            List.of(Network.parse("10.1.0.0/16")),
            List.of(),
            null);
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    ChannelState state = book.point(STABLE, "1.1", lab, "", _ -> {});
    Optional<InetAddress> inside = Optional.of(InetAddress.getByName("10.1.2.3"));
    Optional<InetAddress> outside = Optional.of(InetAddress.getByName("10.2.2.3"));
    assertThat(share(state, "", "lab-1", LABELS, inside)).isEqualTo(Share.RELEASE);
    assertThat(share(state, "", "lab-1", LABELS, outside)).isEqualTo(Share.BASE);
    assertThat(share(state, "lab-1", "field", Labels.NONE, inside)).isEqualTo(Share.BASE);
    Labels other = Labels.of(Map.of("ring", "field", "site", "lab"));
    assertThat(share(state, "", "lab-1", other, inside)).isEqualTo(Share.BASE);
    assertThat(state.share(NOBODY, NOW)).isEqualTo(Share.BASE);
    assertThat(state.release(Share.BASE)).contains("1.0");
    ChannelState paused = book.pause(STABLE, true, "", _ -> {});
    assertThat(share(paused, "", "lab-1", LABELS, inside)).isEqualTo(Share.WAIT);
    assertThat(share(paused, "", "field", Labels.NONE, inside)).isEqualTo(Share.BASE);
    assertThat(paused.release(Share.WAIT)).contains("1.0");
  }

  private static Share share(
      ChannelState state,
      String name,
      String caller,
      Labels labels,
      Optional<InetAddress> address) {
    return state.share(new Follower(name, caller, labels, true, address), NOW);
  }

  /** Nobody knows its place. */
  @Test
  void aDeviceWithoutANameIsInNoPartOfAStage() throws Exception {
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    ChannelState state = book.point(STABLE, "1.1", some(99), "", _ -> {});
    assertThat(state.share(NOBODY, NOW)).isEqualTo(Share.BASE);
  }
}
