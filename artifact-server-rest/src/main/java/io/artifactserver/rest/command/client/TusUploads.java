package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.WarningsField;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The requests of tus 1.0.0 (https://tus.io/protocols/resumable-upload). Thread-safe. */
final class TusUploads {
  static final String PATH = "/api/v1/uploads";

  /**
   * The first wait for parts to become one. When it is over, they are asked for again: the server
   * knows the request and goes on with the part that it was at. Gigabytes take longer, so each wait
   * is twice the one before.
   */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final int MAX_DOUBLINGS = 5;

  private final Remote remote;
  private final Duration patience;
  private final Consumer<String> listener;

  /**
   * @param patience usually {@link #PATIENCE}
   * @param listener is told, in sentences, what makes an artifact that was just made a bad update
   */
  TusUploads(Remote remote, Duration patience, Consumer<String> listener) {
    this.remote = remote;
    this.patience = patience;
    this.listener = listener;
  }

  /** Whether parts of one artifact can be sent beside each other. */
  boolean canConcatenate() throws IOException, InterruptedException, ClientException {
    HttpResponse<String> answer = remote.ask(tus(PATH).method("OPTIONS", BodyPublishers.noBody()));
    if (answer.statusCode() != Answers.NO_CONTENT && answer.statusCode() != Answers.OK) {
      throw Answers.refusal(answer, PATH);
    }
    return Arrays.asList(answer.headers().firstValue("Tus-Extension").orElse("").split("\\s*,\\s*"))
        .contains("concatenation");
  }

  /** Begins an upload of a whole file; returns its id. */
  String begin(ArtifactId id, long length, Map<String, String> metadata)
      throws IOException, InterruptedException, ClientException {
    return created(id, tus(PATH).header("Upload-Length", String.valueOf(length)), metadata);
  }

  /** Begins an upload of a part; returns its id. */
  String beginPart(ArtifactId id, long length)
      throws IOException, InterruptedException, ClientException {
    return created(
        id,
        tus(PATH)
            .header("Upload-Concat", "partial")
            .header("Upload-Length", String.valueOf(length)),
        Map.of());
  }

  /** The state of an artifact that is made of parts. */
  enum Whole {
    MADE,
    /** The server is still putting the parts together, for a request whose answer was lost. */
    UNDER_WAY,
    /** A part does not exist any more: it was lost, or the artifact is complete. */
    GONE
  }

  /**
   * Makes the artifact of parts that are complete.
   *
   * @param attempt how often it was asked for before
   */
  Whole concatenate(ArtifactId id, List<String> parts, Map<String, String> metadata, int attempt)
      throws IOException, InterruptedException, ClientException {
    String addresses =
        parts.stream().map(part -> PATH + '/' + part).collect(Collectors.joining(" "));
    HttpRequest.Builder request =
        tus(PATH)
            .header("Upload-Concat", "final;" + addresses)
            .header("Upload-Metadata", metadata(id, metadata))
            .POST(BodyPublishers.noBody());
    Duration wait = patience.multipliedBy(1L << Math.min(attempt, MAX_DOUBLINGS));
    HttpResponse<String> answer;
    try {
      answer = remote.ask(request, wait);
    } catch (HttpTimeoutException e) {
      throw new IOException(
          "no answer for %d s while the server puts the parts together".formatted(wait.toSeconds()),
          e);
    }
    if (isGone(answer)) {
      return Whole.GONE;
    }
    if (answer.statusCode() != Answers.CREATED) {
      throw Answers.refusal(answer, id.toString());
    }
    tellWarnings(answer);
    return answer.headers().firstValue("Content-Location").isPresent()
        ? Whole.MADE
        : Whole.UNDER_WAY;
  }

  /** How many bytes the server has of an upload; empty if the upload is there no more. */
  OptionalLong offset(String upload) throws IOException, InterruptedException, ClientException {
    HttpResponse<String> answer =
        remote.ask(tus(PATH + '/' + upload).method("HEAD", BodyPublishers.noBody()));
    if (isGone(answer)) {
      return OptionalLong.empty();
    }
    if (answer.statusCode() != Answers.OK) {
      throw Answers.refusal(answer, "asking for the upload");
    }
    long offset = Answers.number(answer, "Upload-Offset").orElse(-1);
    if (offset < 0) {
      throw new IOException("the server does not tell how much it has");
    }
    return OptionalLong.of(offset);
  }

  /**
   * Sends bytes to the end of a part.
   *
   * @param begin of the part in the file
   * @param position of the first byte to send; moves with the bytes
   * @param end of the bytes in the file
   * @param sha256 of the whole file in hexadecimal; if it is given, the server compares
   * @return false if the upload is there no more
   */
  boolean send(
      String upload,
      FileChannel file,
      long begin,
      AtomicLong position,
      long end,
      Optional<String> sha256)
      throws IOException, InterruptedException, ClientException {
    long first = position.get();
    PartStream bytes = new PartStream(file, position, end);
    HttpRequest.Builder builder =
        tus(PATH + '/' + upload)
            .header("Upload-Offset", String.valueOf(first - begin))
            .header("Content-Type", "application/offset+octet-stream")
            .method(
                "PATCH",
                BodyPublishers.fromPublisher(
                    BodyPublishers.ofInputStream(() -> bytes), end - first));
    sha256.ifPresent(hex -> builder.header("Repr-Digest", reprDigest(hex)));
    HttpRequest request = builder.build();
    HttpResponse<String> answer;
    try {
      answer = remote.transfer(request, ShortBody.handler(), position::get);
    } catch (IOException e) {
      IOException failure = bytes.failure();
      if (failure != null) {
        throw new ClientException(
            ClientException.Reason.FAILED, "cannot read the file: " + Remote.reason(failure));
      }
      throw e;
    }
    if (isGone(answer)) {
      return false;
    }
    OptionalLong offset = Answers.number(answer, "Upload-Offset");
    if (answer.statusCode() == Answers.CONFLICT && offset.isPresent()) {
      throw new IOException("the server has %,d bytes".formatted(offset.getAsLong()));
    }
    if (answer.statusCode() != Answers.NO_CONTENT) {
      throw Answers.refusal(answer, "sending the bytes");
    }
    if (offset.orElse(-1) != end - begin) {
      throw new IOException("the server did not take all bytes");
    }
    tellWarnings(answer);
    return true;
  }

  private void tellWarnings(HttpResponse<String> answer) {
    answer
        .headers()
        .firstValue(WarningsField.NAME)
        .map(WarningsField::parse)
        .ifPresent(sentences -> sentences.forEach(listener));
  }

  /** Ends an upload that nobody will complete. */
  void end(String upload) throws IOException, InterruptedException {
    var _ = remote.ask(tus(PATH + '/' + upload).DELETE());
  }

  private String created(ArtifactId id, HttpRequest.Builder request, Map<String, String> metadata)
      throws IOException, InterruptedException, ClientException {
    HttpResponse<String> answer =
        remote.ask(
            request
                .header("Upload-Metadata", metadata(id, metadata))
                .POST(BodyPublishers.noBody()));
    if (answer.statusCode() != Answers.CREATED) {
      throw Answers.refusal(answer, id.toString());
    }
    // Its last segment alone: the token stays with this server, whatever a proxy makes of the rest.
    String upload = lastSegment(answer.headers().firstValue("Location").orElse(""));
    if (!Remote.isUploadId(upload)) {
      throw new IOException("the server names no upload");
    }
    return upload;
  }

  private static String lastSegment(String address) {
    return address.substring(address.lastIndexOf('/') + 1);
  }

  private HttpRequest.Builder tus(String path) {
    return remote.request(path).header("Tus-Resumable", "1.0.0");
  }

  private static String reprDigest(String sha256) {
    Digest digest = new Digest(DigestAlgorithm.SHA_256, sha256);
    return DigestFields.reprDigest(new Digests(Map.of(digest.algorithm(), digest)));
  }

  private static boolean isGone(HttpResponse<String> answer) {
    return answer.statusCode() == Answers.NOT_FOUND || answer.statusCode() == Answers.GONE;
  }

  private static String metadata(ArtifactId id, Map<String, String> more) {
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put("repository", id.repository());
    metadata.put("path", id.path());
    metadata.putAll(more);
    return metadata.entrySet().stream()
        .map(pair ->
            pair.getKey()
                + ' '
                + Base64.getEncoder()
                    .encodeToString(pair.getValue().getBytes(StandardCharsets.UTF_8)))
        .collect(Collectors.joining(","));
  }
}
