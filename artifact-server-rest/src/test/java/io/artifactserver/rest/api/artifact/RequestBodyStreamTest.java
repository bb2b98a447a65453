package io.artifactserver.rest.api.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.rest.problem.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class RequestBodyStreamTest {
  private static final DataSize MIN_RATE = DataSize.ofKilobytes(1);
  private static final int LEAST_IN_A_PERIOD = 60 * 1024;

  private final Client client = new Client();

  /** Moves on with each read, and with nothing else. */
  private long nanos;

  private boolean hasToken = true;

  @Test
  void aClientThatTricklesIsRefused() throws IOException {
    client.length = 1;
    client.pause = Duration.ofSeconds(10);
    RequestBodyStream body = body(MIN_RATE);
    for (int i = 0; i < 5; i++) {
      assertThat(body.read()).isZero();
    }
    assertThatThrownBy(body::read)
        .isInstanceOfSatisfying(
            ProblemException.class,
            refused -> {
              assertThat(refused.problem().getStatus()).isEqualTo(408);
              assertThat(refused.problem().getDetail())
                  .contains("6 bytes", "60 seconds", "artifact-server.upload.min-rate");
            });
  }

  @Test
  void aClientAtTheLeastRateIsServed() throws IOException {
    client.length = LEAST_IN_A_PERIOD / 6;
    client.pause = Duration.ofSeconds(10);
    assertThat(readAll(body(MIN_RATE), 100)).isEqualTo(100 * LEAST_IN_A_PERIOD / 6);
  }

  /** One that sent much before may not trickle afterwards. */
  @Test
  void everyPeriodCountsByItself() throws IOException {
    client.length = 10 * LEAST_IN_A_PERIOD;
    client.pause = Duration.ofSeconds(30);
    RequestBodyStream body = body(MIN_RATE);
    readAll(body, 2);
    client.length = 1;
    assertThat(body.read()).isZero();
    assertThatThrownBy(body::read).isInstanceOf(ProblemException.class);
  }

  @Test
  void theServersOwnTimeDoesNotCount() throws IOException {
    client.length = 1;
    RequestBodyStream body = body(MIN_RATE);
    for (int i = 0; i < 100; i++) {
      assertThat(body.read()).isZero();
      nanos += Duration.ofMinutes(1).toNanos();
    }
  }

  @Test
  void aBodyThatIsCompleteIsTaken() throws IOException {
    client.length = -1;
    client.pause = Duration.ofMinutes(2);
    assertThat(body(MIN_RATE).read()).isEqualTo(-1);
  }

  @Test
  void withoutARateClientsTakeTheirTime() throws IOException {
    client.length = 1;
    client.pause = Duration.ofMinutes(2);
    assertThat(readAll(body(DataSize.ofBytes(0)), 10)).isEqualTo(10);
  }

  @Test
  void aCallerWhoseTokenIsTakenAwayIsRefusedWithinASecond() throws IOException {
    client.length = 100;
    client.pause = Duration.ofMillis(400);
    RequestBodyStream body = body(MIN_RATE);
    hasToken = false;
    assertThat(readAll(body, 2)).isEqualTo(200);
    assertThatThrownBy(body::read).isInstanceOf(ProblemException.class);
  }

  @Test
  void aCallerWhoseTokenIsTakenAwayIsRefusedAtTheEnd() throws IOException {
    client.length = -1;
    RequestBodyStream body = body(MIN_RATE);
    hasToken = false;
    assertThatThrownBy(body::read)
        .isInstanceOfSatisfying(
            ProblemException.class,
            refused -> assertThat(refused.problem().getStatus()).isEqualTo(401));
  }

  private static int readAll(RequestBodyStream body, int times) throws IOException {
    byte[] target = new byte[20 * LEAST_IN_A_PERIOD];
    int all = 0;
    for (int i = 0; i < times; i++) {
      all += body.read(target, 0, target.length);
    }
    return all;
  }

  private RequestBodyStream body(DataSize minRate) {
    return new RequestBodyStream(() -> client, minRate, () -> hasToken, () -> nanos);
  }

  /** Sends so many bytes for each read, after a pause. */
  private final class Client extends InputStream {
    private int length;
    private Duration pause = Duration.ZERO;

    @Override
    public int read(byte[] target, int offset, int most) {
      nanos += pause.toNanos();
      return length < 0 ? -1 : Math.min(length, most);
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException();
    }
  }
}
