package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.rest.problem.ProblemException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.MultiPart;
import org.eclipse.jetty.http.MultiPartCompliance;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * The bytes of a form's file (multipart/form-data, RFC 7578), parsed as they come; nothing but the
 * small fields is gathered. Its end is the end of the form: the fields behind the file are known
 * then. Whatever is malformed is a {@link ProblemException}. Used by one thread.
 */
public final class FormFile extends InputStream {
  /** Most bytes of all but the file: heads, fields, and what stands before and behind. */
  static final int MAX_OTHER = 64 * 1024;

  /** Most bytes of a part's head. */
  static final int MAX_HEAD = 8 * 1024;

  static final int MAX_PARTS = 100;

  private static final int MAX_BOUNDARY = 70;
  private static final int BUFFER_LENGTH = 32 * 1024;

  private static final String FILE = "file";
  private static final String SHA_256 = "sha256";
  private static final String MEDIA_TYPE = "mediaType";

  private static final Set<String> FIELDS = Set.of(SHA_256, MEDIA_TYPE);

  /** Content-Transfer-Encoding of bytes as they are (RFC 2045, section 6.2). */
  private static final Set<String> IDENTITY = Set.of("binary", "7bit", "8bit");

  private final InputStream body;
  private final Parts parts = new Parts();
  private final MultiPart.Parser parser;
  private final byte[] buffer = new byte[BUFFER_LENGTH];

  /** Bytes of the file that are in the buffer. */
  private final Deque<ByteBuffer> unread = new ArrayDeque<>();

  /** Bytes of the body that came, with those in the buffer that are not parsed yet. */
  private long received;

  private ByteBuffer unparsed = ByteBuffer.allocate(0);

  /** 1 if the last byte that came is a CR that waits for the next one, else 0. */
  private int heldBack;

  private FormFile(InputStream body, String boundary) {
    this.body = body;
    // Not RFC7578: it takes a line feed alone for the line break before a boundary, and a file that
    // has such bytes would be cut off there.
    this.parser = new MultiPart.Parser(boundary, MultiPartCompliance.RFC7578_STRICT, parts);
    parser.setPartHeadersMaxLength(MAX_HEAD);
    parser.setMaxParts(MAX_PARTS);
  }

  /** Whether a request with this Content-Type is a form that may have a file. */
  public static boolean isForm(@Nullable String contentType) {
    return MediaType.MULTIPART_FORM_DATA_VALUE.equalsIgnoreCase(
        HttpField.stripParameters(contentType));
  }

  /** Reads a form as far as to the head of its file. The caller closes the body. */
  static FormFile open(String contentType, InputStream body) throws IOException {
    String boundary = MultiPart.extractBoundary(contentType);
    if (boundary == null || boundary.isEmpty() || boundary.length() > MAX_BOUNDARY) {
      throw malformed("Its Content-Type has no boundary of 1 to 70 characters");
    }
    FormFile file = new FormFile(body, boundary);
    while (!file.parts.hasFile) {
      file.parse();
    }
    return file;
  }

  /** Adds what the form has told by now to what its request has. */
  IngestRequest describe(IngestRequest request) {
    List<Digest> digests = new ArrayList<>(request.expectedDigests());
    String sha256 = parts.fields.get(SHA_256);
    if (sha256 != null) {
      try {
        digests.add(new Digest(DigestAlgorithm.SHA_256, sha256.toLowerCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw malformed("Its field sha256 has 64 hexadecimal digits");
      }
    }
    String type = parts.fields.getOrDefault(MEDIA_TYPE, parts.fileType);
    return new IngestRequest(
        request.id(),
        MediaTypes.checked(request.id(), type, MEDIA_TYPE),
        request.declaredLength(),
        digests);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    while (unread.isEmpty()) {
      if (parts.isComplete) {
        return -1;
      }
      parse();
    }
    ByteBuffer bytes = unread.element();
    int read = Math.min(length, bytes.remaining());
    bytes.get(target, offset, read);
    if (!bytes.hasRemaining()) {
      unread.remove();
    }
    return read;
  }

  /** Overwrites the buffer, of which everything has been read. */
  private void parse() throws IOException {
    buffer[0] = '\r';
    int read = body.read(buffer, heldBack, buffer.length - heldBack);
    received += Math.max(0, read);
    int length = heldBack + Math.max(0, read);
    // Jetty 12.1.12 takes a line break before a boundary for a line feed alone if it is cut.
    heldBack = read > 0 && buffer[length - 1] == '\r' ? 1 : 0;
    unparsed = ByteBuffer.wrap(buffer, 0, length - heldBack);
    if (read < 0 || unparsed.hasRemaining()) {
      parser.parse(Content.Chunk.from(unparsed, read < 0));
    }
    if (parts.failure != null) {
      throw parts.failure;
    }
    if (received - parts.fileLength > MAX_OTHER) {
      throw new ProblemException(
          HttpStatus.CONTENT_TOO_LARGE,
          "Form too large",
          "Beside its file, a form may have at most %,d bytes.".formatted(MAX_OTHER));
    }
  }

  private long parsed() {
    return received - heldBack - unparsed.remaining();
  }

  private static ProblemException malformed(String reason) {
    return new ProblemException(
        HttpStatus.BAD_REQUEST,
        "Malformed form",
        reason + ". Nothing was kept. docs/uploads.md describes the form.");
  }

  /** Learns of the parts; the parser drops what its listener throws. */
  private final class Parts extends MultiPart.AbstractPartsListener {
    private final HttpFields.Mutable head = HttpFields.build();
    private final Map<String, String> fields = new HashMap<>();
    private final StringBuilder text = new StringBuilder();
    private boolean isFile;
    private boolean hasFile;
    private boolean isComplete;
    private long fileBegin;
    private long fileLength;
    private String fileType = "";
    private @Nullable ProblemException failure;

    @Override
    public void onPartHeader(String name, String value) {
      super.onPartHeader(name, value);
      head.add(name, value);
    }

    @Override
    public void onPartHeaders() {
      isFile = FILE.equals(getName());
      if (!isFile) {
        return;
      }
      String coding = head.get("Content-Transfer-Encoding");
      if (hasFile) {
        fail("It has more than one field \"file\"");
      } else if ("".equals(getFileName())) {
        // A browser sends this before a file was chosen.
        fail("Its field \"file\" names no file");
      } else if (coding != null && !IDENTITY.contains(coding.toLowerCase(Locale.ROOT))) {
        fail("An artifact is stored as it is sent: send it without Content-Transfer-Encoding");
      }
      hasFile = true;
      fileBegin = parsed();
      fileType = Objects.requireNonNullElse(head.get(HttpHeader.CONTENT_TYPE), "");
    }

    @Override
    public void onPartContent(Content.Chunk chunk) {
      ByteBuffer bytes = chunk.getByteBuffer();
      if (!isFile) {
        text.append(StandardCharsets.ISO_8859_1.decode(bytes));
      } else if (bytes.hasRemaining()) {
        if (fileLength == 0 && bytes.remaining() > parsed() - fileBegin) {
          // Jetty 12.1.12 gives back the line feed before the file, too, if the file begins as a
          // boundary does ("--") and is cut there.
          bytes.get();
        }
        fileLength += bytes.remaining();
        unread.add(bytes);
      }
    }

    @Override
    public void onPart(@Nullable String name, @Nullable String fileName, HttpFields all) {
      String value = text.toString().strip();
      // A browser sends those that were left empty, too.
      if (name != null
          && FIELDS.contains(name)
          && !value.isEmpty()
          && fields.put(name, value) != null) {
        fail("It has more than one field \"%s\"".formatted(name));
      }
      text.setLength(0);
      head.clear();
    }

    @Override
    public void onComplete() {
      isComplete = true;
      if (!hasFile) {
        fail("It has no field \"file\"");
      }
    }

    @Override
    public void onFailure(Throwable cause) {
      fail(
          cause instanceof EOFException
              ? "It ends before its last boundary"
              : "It is no multipart/form-data of RFC 7578 (%s)".formatted(cause.getMessage()));
    }

    private void fail(String reason) {
      if (failure == null) {
        failure = malformed(reason);
      }
    }
  }
}
