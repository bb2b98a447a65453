package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactCatalog;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Channels; a repository whose name begins with "absent" does not exist. Thread-safe. */
public final class InMemoryChannelStore implements ChannelStore {
  private static final Comparator<ChannelState> BY_VERSION =
      Comparator.comparingLong(ChannelState::version);

  private final List<ChannelState> states = new CopyOnWriteArrayList<>();

  /** Channels of their own, which may point to any release. */
  public static ChannelBook book(ArtifactCatalog catalog, InstantSource clock) {
    return new ChannelBook(new InMemoryChannelStore(), catalog, new AnyRelease(), clock, _ -> {});
  }

  /** The same, of artifacts that nobody releases. */
  public static ChannelBook book(ArtifactCatalog catalog) {
    return book(catalog, InstantSource.system());
  }

  @Override
  public List<ChannelState> current() {
    Map<Channel, ChannelState> last =
        states.stream()
            .collect(
                Collectors.toMap(
                    ChannelState::channel, Function.identity(), BinaryOperator.maxBy(BY_VERSION)));
    return last.values().stream().filter(state -> state.release() != null).toList();
  }

  @Override
  public boolean add(ChannelState state, Runnable also) {
    if (state.channel().repository().startsWith("absent")) {
      return false;
    }
    if (states.stream()
        .anyMatch(
            each -> each.channel().equals(state.channel()) && each.version() == state.version())) {
      throw new IllegalStateException("There is a version " + state.version());
    }
    also.run();
    return states.add(state);
  }

  @Override
  public List<ChannelState> history(Channel channel, long before, int limit) {
    return newestFirst(channel, before).limit(limit).toList();
  }

  @Override
  public List<ChannelState> pointing(String repository, Set<String> releases, int limit) {
    return states.stream()
        .filter(state -> state.channel().repository().equals(repository))
        .filter(state -> state.release() != null && releases.contains(state.release()))
        .sorted(Comparator.comparing(ChannelState::changedAt).reversed())
        .limit(limit)
        .toList();
  }

  @Override
  public Set<String> releases(String repository) {
    return states.stream()
        .filter(state -> state.channel().repository().equals(repository))
        .map(ChannelState::release)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  @Override
  public Optional<ChannelState> lastOther(Channel channel, long before, String release) {
    return newestFirst(channel, before)
        .filter(state -> state.release() != null && !state.release().equals(release))
        .findFirst();
  }

  private Stream<ChannelState> newestFirst(Channel channel, long before) {
    return states.stream()
        .filter(state -> state.channel().equals(channel) && state.version() < before)
        .sorted(BY_VERSION.reversed());
  }
}
