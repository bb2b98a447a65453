package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.command.client.ClientException.Reason;
import io.artifactserver.rest.http.ContentRange;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Fetches ranges of one version of an artifact, and writes them to their places in a file. Used by
 * one thread, which reads what has come and writes it: with {@link java.net.http.HttpClient}, each
 * byte passed through two more threads and two more copies. The channel is its own: an interrupt
 * closes it.
 */
final class RangeFetch implements AutoCloseable {
  /** The most that Java reads from a socket at a time, in bytes. */
  private static final int BUFFER_LENGTH = 128 * 1024;

  private final Remote remote;
  private final ArtifactId id;
  private final Remote.Found found;
  private final Path part;
  private final FetchedBytes fetched;
  private final FileChannel file;
  private final byte[] buffer = new byte[BUFFER_LENGTH];

  /**
   * @param part the file
   * @param fetched told of every byte that is written
   */
  RangeFetch(Remote remote, ArtifactId id, Remote.Found found, Path part, FetchedBytes fetched)
      throws ClientException {
    this.remote = remote;
    this.id = id;
    this.found = found;
    this.part = part;
    this.fetched = fetched;
    try {
      this.file = FileChannel.open(part, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw cannotWrite(e);
    }
  }

  /**
   * Fetches a range. I/O.
   *
   * @return false if the artifact is another one now, or gone
   * @throws IOException if it may succeed later
   */
  boolean fetch(ByteRange range) throws IOException, InterruptedException, ClientException {
    HttpURLConnection request = remote.open(Remote.path(id));
    request.setRequestProperty("Range", "bytes=%d-%d".formatted(range.position(), range.end() - 1));
    request.setRequestProperty("If-Range", found.entityTag());
    boolean isRead = false;
    try {
      int status = remote.status(request);
      switch (status) {
        case Answers.PARTIAL_CONTENT -> {
          if (isOfThisVersion(request, range)) {
            write(request.getInputStream(), range);
            isRead = true;
          }
        }
        // The whole of another version; also of a shorter one, or none.
        case Answers.OK, Answers.RANGE_NOT_SATISFIABLE, Answers.NOT_FOUND, Answers.GONE -> {}
        default -> throw Answers.refusal(request, id.toString());
      }
      return isRead;
    } catch (SocketTimeoutException e) {
      throw Remote.stalled(e);
    } catch (IOException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      throw e;
    } finally {
      if (!isRead) {
        request.disconnect();
      }
    }
  }

  private boolean isOfThisVersion(HttpURLConnection answer, ByteRange range) {
    return ContentRange.of(range, found.length()).equals(answer.getHeaderField("Content-Range"))
        && found.entityTag().equals(answer.getHeaderField("ETag"));
  }

  private void write(InputStream body, ByteRange range) throws IOException, ClientException {
    long position = range.position();
    for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
      if (count > range.end() - position) {
        throw new IOException("the server sent more than was asked for");
      }
      write(count, position);
      fetched.add(new ByteRange(position, count));
      position += count;
    }
    if (position < range.end()) {
      throw new IOException("the server sent less than was asked for");
    }
  }

  private void write(int count, long begin) throws ClientException {
    ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, count);
    try {
      while (bytes.hasRemaining()) {
        int _ = file.write(bytes, begin + bytes.position());
      }
    } catch (IOException e) {
      throw cannotWrite(e);
    }
  }

  private ClientException cannotWrite(IOException failure) {
    return new ClientException(
        Reason.FAILED, "cannot write %s: %s".formatted(part, Remote.reason(failure)));
  }

  @Override
  public void close() throws ClientException {
    try {
      file.close();
    } catch (IOException e) {
      throw cannotWrite(e);
    }
  }
}
