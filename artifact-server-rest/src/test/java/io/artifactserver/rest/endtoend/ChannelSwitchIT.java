package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Devices that break off and go on, some naming what they have and some not, while the channel that
 * they follow is switched again and again.
 */
@EnumSource
@InTurn(3)
class ChannelSwitchIT extends EachTransport {
  private static final int DOWNLOADS = 200;
  private static final int SWITCHES = 50;
  private static final int LENGTH = 200_000;

  /** Of one length, so that no length tells them apart. */
  private static final List<byte[]> VERSIONS =
      List.of(Bytes.random(LENGTH, 494), Bytes.random(LENGTH, 495), Bytes.random(LENGTH, 496));

  @Test
  void noDownloadEndsWithBytesOfTwoVersions() throws Exception {
    String repository = "switched-" + transport;
    String channel = "/api/v1/repositories/" + repository + "/channels/stable";
    String address = "/artifacts/" + repository + "/@stable/fw.img";
    Semaphore begun = new Semaphore(0);
    AtomicInteger interrupted = new AtomicInteger();
    try (Operator operator = server.operator();
        ExecutorService devices = Executors.newFixedThreadPool(8)) {
      operator.createRepository(repository, true);
      for (int i = 0; i < VERSIONS.size(); i++) {
        operator.put(repository, "1." + i + "/fw.img", VERSIONS.get(i));
      }
      operator.json("PUT", channel, "{\"release\": \"1.0\"}");
      List<Future<byte[]>> downloads = new ArrayList<>();
      for (int i = 0; i < DOWNLOADS; i++) {
        Device device = new Device(address, new Random(i), begun, interrupted);
        downloads.add(devices.submit(device));
      }
      for (int i = 1; i <= SWITCHES; i++) {
        // A few downloads further each time, so that all of them are switched under.
        begun.acquire(DOWNLOADS / SWITCHES);
        HttpResponse<String> switched =
            operator.json(
                "PUT",
                channel,
                "{\"release\": \"1.%d\"}".formatted(i % VERSIONS.size()),
                "If-Match",
                "*");
        assertThat(switched.statusCode()).isEqualTo(200);
      }
      for (Future<byte[]> download : downloads) {
        byte[] bytes = download.get();
        assertThat(VERSIONS).anyMatch(version -> Arrays.equals(version, bytes));
      }
    }
    assertThat(interrupted).as("downloads that began again over a switch").hasPositiveValue();
  }

  /** Downloads in pieces; how, the random numbers say. */
  private final class Device implements Callable<byte[]> {
    private final String address;
    private final Random random;
    private final Semaphore begun;
    private final AtomicInteger interrupted;
    private final boolean isCareful;
    private final String condition;

    private Device(String address, Random random, Semaphore begun, AtomicInteger interrupted) {
      this.address = address;
      this.random = random;
      this.begun = begun;
      this.interrupted = interrupted;
      this.isCareful = random.nextInt(4) > 0;
      this.condition = random.nextBoolean() ? "If-Range" : "If-Match";
    }

    @Override
    public byte[] call() throws Exception {
      begun.release();
      ByteArrayOutputStream have = new ByteArrayOutputStream();
      Optional<String> tag = Optional.empty();
      try (Wire wire = open()) {
        while (have.size() < LENGTH) {
          int last = Math.min(LENGTH, have.size() + 1 + random.nextInt(20_000)) - 1;
          String named = isCareful && tag.isPresent() ? condition + ": " + tag.get() + "\r\n" : "";
          wire.send(
              "GET %s HTTP/1.1\r\nHost: device\r\n%sRange: bytes=%d-%d\r\n\r\n"
                  .formatted(address, named, have.size(), last));
          Response answer = wire.receive(true);
          switch (answer.status()) {
            case 206 -> have.write(answer.body());
            case 200 -> {
              interrupted.addAndGet(named.isEmpty() ? 0 : 1);
              return answer.body();
            }
            case 412 -> {
              interrupted.incrementAndGet();
              have.reset();
            }
            default -> throw new AssertionError("Status " + answer.status());
          }
          tag = answer.status() == 412 ? Optional.empty() : answer.field("ETag");
        }
      }
      return have.toByteArray();
    }
  }
}
