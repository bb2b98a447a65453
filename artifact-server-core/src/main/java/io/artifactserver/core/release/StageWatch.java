package io.artifactserver.core.release;

import io.artifactserver.core.digest.Hex;
import io.artifactserver.core.limit.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Devices that were offered a release which goes back by itself, and how they get on. Thread-safe;
 * a range that a device is sent takes no lock.
 *
 * <p>All channels share one table, of at most {@value #MAX_DEVICES} devices (some 240 bytes each).
 * Devices beyond that are served as others are, and not watched. So are those beyond the first
 * {@value #MAX_OF_ADDRESS} from one address that are no members of the repository: anybody can make
 * up names.
 */
public final class StageWatch {
  /** Most devices of all channels. */
  public static final int MAX_DEVICES = 120_000;

  /** Most devices from one address that are no members of the repository. */
  public static final int MAX_OF_ADDRESS = 20;

  private static final int ID_DIGITS = 16;

  private final LongSupplier nanoTime;
  private final String secret = Hex.random(ID_DIGITS);
  private final ConcurrentMap<String, WatchedDevice> devices = new ConcurrentHashMap<>();
  private final ConcurrentMap<Object, Integer> strangers = new ConcurrentHashMap<>();
  private final AtomicLong lost = new AtomicLong();

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  public StageWatch(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * A device asks, and is offered the release of the channel.
   *
   * @param length of the file, in bytes
   * @param software that the device says it runs; empty if it does not say
   * @param asksInVain whether a device of its kind asks again only when the update was in vain
   * @return the id under which what it is sent is taken down; empty if it is not watched
   */
  public Optional<String> offered(
      Subject subject, long length, String software, boolean asksInVain) {
    if (!isWatched(subject)) {
      return Optional.empty();
    }
    String id = id(subject);
    WatchedDevice known = devices.get(id);
    if (known == null) {
      return add(id, subject, length, software).map(_ -> id);
    }
    known.polled(software.hashCode(), asksInVain);
    return Optional.of(id);
  }

  /**
   * A device gets the release of the channel without having asked whether there is one.
   *
   * @param length of the file, in bytes
   * @return the one that takes down what it is sent; empty if it is not watched
   */
  public Optional<WatchedDevice> followed(Subject subject, long length) {
    if (!isWatched(subject)) {
      return Optional.empty();
    }
    String id = id(subject);
    return find(id).or(() -> add(id, subject, length, ""));
  }

  private static boolean isWatched(Subject subject) {
    return subject.state().rollout().stop() != null && !subject.device().name().isEmpty();
  }

  private Optional<WatchedDevice> add(String id, Subject subject, long length, String software) {
    Follower device = subject.device();
    @Nullable Object origin =
        device.isMember() ? null : device.address().map(Network::ofClient).orElse(null);
    if (!takeRoom(origin)) {
      lost.incrementAndGet();
      return Optional.empty();
    }
    WatchedDevice fresh =
        new WatchedDevice(
            subject.state(), length, software.hashCode(), origin, nanoTime.getAsLong());
    WatchedDevice other = devices.putIfAbsent(id, fresh);
    if (other != null) {
      giveBack(origin);
    }
    return Optional.of(other == null ? fresh : other);
  }

  private boolean takeRoom(@Nullable Object origin) {
    if (devices.size() >= MAX_DEVICES) {
      return false;
    }
    if (origin != null && strangers.merge(origin, 1, Integer::sum) > MAX_OF_ADDRESS) {
      giveBack(origin);
      return false;
    }
    return true;
  }

  private void giveBack(@Nullable Object origin) {
    if (origin != null) {
      strangers.computeIfPresent(
          origin, (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }
  }

  /** A device that asks has the release already. */
  public void hasRelease(Subject subject) {
    find(subject).ifPresent(WatchedDevice::succeeded);
  }

  /** A device says how its update ended. */
  public void reported(Subject subject, boolean isSuccess) {
    find(subject).ifPresent(isSuccess ? WatchedDevice::succeeded : WatchedDevice::failed);
  }

  /** Returns who takes down what is sent under an id; empty if nobody does. */
  public Optional<WatchedDevice> find(String id) {
    return Optional.ofNullable(devices.get(id));
  }

  /** A device was sent bytes. */
  public void delivered(WatchedDevice device, long count) {
    device.delivered(count, nanoTime.getAsLong());
  }

  /** Returns how the devices of a channel's stage get on. */
  public Numbers numbers(ChannelState state) {
    @Nullable StopRule rule = state.rollout().stop();
    Numbers.Sum sum = new Numbers.Sum();
    if (rule != null) {
      long now = nanoTime.getAsLong();
      devices.values().stream()
          .filter(device -> device.isOf(state))
          .forEach(device -> sum.add(device, rule, now));
    }
    return sum.numbers();
  }

  /**
   * Forgets devices of stages that are over, and finds the channels that are to go back.
   *
   * @param current the states of channels now
   */
  public List<Failing> sweep(Function<Channel, Optional<ChannelState>> current) {
    long now = nanoTime.getAsLong();
    Map<ChannelState, Numbers.Sum> sums = new HashMap<>();
    devices.forEach((id, device) -> {
      @Nullable ChannelState state =
          current.apply(device.channel()).filter(device::isOf).orElse(null);
      @Nullable StopRule rule = state == null ? null : state.rollout().stop();
      if (state == null || rule == null) {
        forget(id, device);
      } else {
        sums.computeIfAbsent(state, _ -> new Numbers.Sum()).add(device, rule, now);
      }
    });
    List<Failing> failing = new ArrayList<>();
    sums.forEach((state, sum) -> {
      @Nullable StopRule rule = state.rollout().stop();
      if (rule != null
          && !state.rollout().isPaused()
          && rule.isBroken(sum.numbers().failed(), sum.numbers().begun())) {
        failing.add(new Failing(state, sum.numbers(), rule));
      }
    });
    return failing;
  }

  private void forget(String id, WatchedDevice device) {
    if (devices.remove(id, device)) {
      giveBack(device.origin());
    }
  }

  private Optional<WatchedDevice> find(Subject subject) {
    return isWatched(subject) ? find(id(subject)) : Optional.empty();
  }

  /** Nobody can find out another device's. */
  private String id(Subject subject) {
    ChannelState state = subject.state();
    Follower device = subject.device();
    String who = device.caller().isEmpty() ? device.address().toString() : device.caller();
    String text =
        String.join(
            "\n",
            secret,
            state.channel().toString(),
            String.valueOf(state.release()),
            subject.path(),
            who,
            device.name());
    return Hex.sha256(text).substring(0, ID_DIGITS);
  }

  /** Returns how many devices are watched. */
  public int size() {
    return devices.size();
  }

  /** Returns how many devices could not be watched. */
  public long lost() {
    return lost.get();
  }

  /**
   * A device in a stage, and the file that it is to get. Immutable.
   *
   * @param state of the channel
   * @param path of the file in the release
   */
  public record Subject(ChannelState state, Follower device, String path) {}

  /**
   * How the devices of a stage get on that began within the rule's time. Immutable.
   *
   * @param begun those that have begun, whatever became of them
   * @param done those that have all of it, or said so
   * @param failed those that broke off, stalled or said so
   */
  public record Numbers(long begun, long done, long failed) {
    /** Adds up. Used by one thread. */
    private static final class Sum {
      private final AtomicLong begun = new AtomicLong();
      private final AtomicLong done = new AtomicLong();
      private final AtomicLong failed = new AtomicLong();

      private void add(WatchedDevice device, StopRule rule, long now) {
        Duration within = rule.within();
        if (device.hasBegun() && device.beganWithin(within, now)) {
          begun.incrementAndGet();
          if (device.hasFailed(rule.stall(), now)) {
            failed.incrementAndGet();
          } else if (device.isDone()) {
            done.incrementAndGet();
          }
        }
      }

      private Numbers numbers() {
        return new Numbers(begun.get(), done.get(), failed.get());
      }
    }
  }

  /**
   * A channel that is to go back.
   *
   * @param state in which too many devices fail
   */
  public record Failing(ChannelState state, Numbers numbers, StopRule rule) {
    /** The reason, for people. */
    public String reason() {
      return "Stopped by the server: %d of the %d devices that began %s within %s broke off, stalled or reported a failure, which is more than %d %%"
          .formatted(
              numbers.failed(), numbers.begun(), state.release(), rule.within(), rule.percentage());
    }
  }
}
