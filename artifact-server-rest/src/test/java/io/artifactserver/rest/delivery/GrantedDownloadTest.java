package io.artifactserver.rest.delivery;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.hawkbit.FakeHawkbit;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Devices of a hawkBit that is asked, over HTTP, with a stand-in for hawkBit. */
class GrantedDownloadTest extends GrantedDownloadFixture {
  @Test
  void servesWhatHawkbitGrants() throws Exception {
    start();
    HttpResponse<byte[]> whole = get(FILE, TOKEN);
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.body()).isEqualTo(CONTENT);
    String tag = '"' + digest(DigestAlgorithm.SHA_256).hex() + '"';
    assertThat(whole.headers().firstValue("ETag")).contains(tag);
    assertThat(whole.headers().firstValue("Cache-Control")).contains("private, no-cache");
    HttpResponse<byte[]> range = get(FILE, TOKEN, "Range", "bytes=5-9", "If-Range", tag);
    assertThat(range.statusCode()).isEqualTo(206);
    assertThat(range.body()).isEqualTo(Arrays.copyOfRange(CONTENT, 5, 10));
    HttpResponse<byte[]> head = send("HEAD", FILE, TOKEN);
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.headers().firstValueAsLong("Content-Length")).hasValue(CONTENT.length);
    // hawkBit's own tag, from a download that it began: never two halves of two things.
    HttpResponse<byte[]> switched =
        get(FILE, TOKEN, "Range", "bytes=5-9", "If-Range", '"' + SHA_1 + '"');
    assertThat(switched.statusCode()).isEqualTo(200);
    assertThat(switched.body()).isEqualTo(CONTENT);
    assertThat(fake.questions("device")).isEqualTo(1);
    // To tell whether it is encrypted.
    assertThat(fake.artifactBytes()).isEqualTo(64);
  }

  @Test
  void namesAndTheirMd5FilesAreReadAsHawkbitWritesThem() throws Exception {
    fake.artifact("7", "my+fw 1.img", CONTENT);
    start();
    for (String name : new String[] {"my%2Bfw+1.img", "my%2Bfw%201.img"}) {
      assertThat(get(FILE.replace("fw.img", name), TOKEN).body()).isEqualTo(CONTENT);
    }
    HttpResponse<byte[]> md5 = get(FILE.replace("fw.img", "my%2Bfw+1.img.MD5SUM"), TOKEN);
    assertThat(new String(md5.body(), StandardCharsets.UTF_8))
        .isEqualTo(digest(DigestAlgorithm.MD5).hex() + "  my+fw 1.img\n");
    assertThat(get(FILE + ".MD5SUM", "TargetToken other").statusCode()).isEqualTo(401);
    assertThat(get(FILE + "x.MD5SUM", TOKEN).statusCode()).isEqualTo(404);
    // As a device may spell its tenant.
    assertThat(get(FILE.replace("DEFAULT", "default"), TOKEN).body()).isEqualTo(CONTENT);
  }

  @Test
  void servesNobodyElse() throws Exception {
    fake.device("other", "another-secret");
    fake.gatewayToken("of-the-gateway");
    start();
    assertThat(get(FILE, "GatewayToken of-the-gateway").statusCode()).isEqualTo(200);
    assertThat(get(FILE, "TargetToken another-secret").statusCode()).isEqualTo(401);
    assertThat(get(FILE, "TargetToken ").statusCode()).isEqualTo(401);
    assertThat(get(FILE.replace("/device/", "/other/"), TOKEN).statusCode()).isEqualTo(401);
    assertThat(get(FILE.replace("/device/", "/other/"), "TargetToken another-secret").statusCode())
        .isEqualTo(404);
    assertThat(get(FILE.replace("/7/", "/8/"), TOKEN).statusCode()).isEqualTo(404);
    assertThat(get(FILE.replace("fw.img", "fw2.img"), TOKEN).statusCode()).isEqualTo(404);
  }

  @Test
  void strangersAndNonsenseCostNoQuestion() throws Exception {
    start();
    assertThat(send("GET", FILE, "").statusCode()).isEqualTo(401);
    assertThat(get(FILE, "Bearer as_1_2").statusCode()).isEqualTo(401);
    for (String path :
        new String[] {
          FILE.replace("/7/", "/seven/"),
          FILE.replace("/7/", "//"),
          FILE.replace("DEFAULT", "-x"),
          FILE.replace("device", "%2e%2e"),
          FILE.replace("device", "a%0ab"),
        }) {
      assertThat(get(path, TOKEN).statusCode()).as(path).isIn(400, 404);
    }
    assertThat(fake.questions()).isZero();
  }

  @Test
  void hawkbitsFailuresAreNoneOfTheDevices() throws Exception {
    hawkbit.close();
    hawkbit = hawkbit(Duration.ofMillis(500), 1_000_000);
    start();
    // A busy machine, too, may answer after the time-out.
    eventually("it is granted", () -> get(FILE, TOKEN).statusCode() == 200);
    fake.device("new", "new-secret");
    fake.assign("new", "7");
    String elsewhere = FILE.replace("/device/", "/new/");
    for (FakeHawkbit.Fault fault :
        List.of(FakeHawkbit.Fault.ERROR_500, FakeHawkbit.Fault.HTML, FakeHawkbit.Fault.SILENCE)) {
      fake.fault(fault);
      HttpResponse<byte[]> refused = get(elsewhere, "TargetToken new-secret");
      assertThat(refused.statusCode()).as(fault.name()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      assertThat(get(FILE, TOKEN, "Range", "bytes=0-1").statusCode()).isEqualTo(206);
      fake.fault(FakeHawkbit.Fault.NONE);
    }
    eventually(
        "hawkBit is back", () -> get(elsewhere, "TargetToken new-secret").statusCode() == 200);
  }

  @Test
  void fileThatIsNotThereIsAskedForAgainAndThenMissing() throws Exception {
    files.remove(SHA_1);
    start();
    assertThat(get(FILE, TOKEN).statusCode()).isEqualTo(404);
    assertThat(fake.questions("device")).isEqualTo(2);
    files.add(SHA_1, CONTENT);
    assertThat(get(FILE, TOKEN).statusCode()).isEqualTo(200);
    files.add(SHA_1, Arrays.copyOf(CONTENT, 10));
    files.remove(SHA_1);
    files.add(SHA_1, Arrays.copyOf(CONTENT, 10));
    assertThat(get(FILE, TOKEN).statusCode()).isEqualTo(503);
  }

  @Test
  void ciphertextIsNeverServed() throws Exception {
    byte[] ciphertext = bytes(100_028);
    ciphertext[0]++;
    fake.encryptedArtifact("7", "secret.img", CONTENT, ciphertext);
    DigestAlgorithm sha1 = DigestAlgorithm.SHA_1;
    files.add(Digest.of(sha1, sha1.newMessageDigest().digest(ciphertext)).hex(), ciphertext);
    start();
    HttpResponse<byte[]> refused = get(FILE.replace("fw.img", "secret.img"), TOKEN);
    assertThat(refused.statusCode()).isEqualTo(404);
    assertThat(new String(refused.body(), StandardCharsets.UTF_8)).contains("Encrypted by hawkBit");
    assertThat(get(FILE, TOKEN).statusCode()).isEqualTo(200);
  }

  /** hawkBit allows an address 200 reads a second; here both are larger, so that it takes less. */
  @Test
  void devicesAskOneQuestionEach() throws Exception {
    hawkbit.close();
    hawkbit = hawkbit(Duration.ofMinutes(2), 1800);
    fake.maxPerSecond(2000);
    start();
    int devices = 1_000;
    for (int i = 0; i < devices; i++) {
      fake.device("device-" + i, "secret-" + i);
      fake.assign("device-" + i, "7");
    }
    AtomicInteger served = new AtomicInteger();
    Semaphore places = new Semaphore(256);
    CompletableFuture<?>[] downloads = new CompletableFuture<?>[devices];
    for (int i = 0; i < devices; i++) {
      places.acquire();
      HttpRequest request =
          request(
              "GET",
              FILE.replace("/device/", "/device-" + i + '/'),
              "TargetToken secret-" + i,
              "Range",
              "bytes=0-99");
      downloads[i] =
          client
              .sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
              .whenComplete((response, _) -> {
                places.release();
                if (response != null && response.statusCode() == 206) {
                  served.incrementAndGet();
                }
              });
    }
    CompletableFuture.allOf(downloads).join();
    assertThat(served).hasValue(devices);
    // Requests that hawkBit's filter refuses do not count.
    assertThat(fake.questions()).isEqualTo(devices);
    assertThat(fake.mostUnderWay()).isLessThanOrEqualTo(32);
    assertThat(fake.artifactBytes()).isEqualTo(64);
  }
}
