package io.artifactserver.rest.server.engine;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A socket to which the kernel sends files from the page cache. Jetty hands on the buffer that was
 * written; when it is the one that stands for a part of a file, the file is sent in its place. And
 * one that answers a {@link RepeatedRequest} before Jetty sees it.
 */
final class SendfileEndPoint extends FairEndPoint implements FileSender {
  private volatile @Nullable Part part;
  private final Repeats repeats = new Repeats(this);

  SendfileEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      Newcomers newcomers,
      LingeringClose lingering) {
    super(channel, selector, key, scheduler, newcomers, lingering);
  }

  @Override
  public void next(FileRegion region, long offset, ByteBuffer view) {
    part = new Part(region, offset - view.position(), view);
  }

  @Override
  public void forget() {
    part = null;
  }

  @Override
  public boolean repeats() {
    return repeats.isListening();
  }

  @Override
  public void repeat(RangeResponder responder) {
    repeats.listen(responder);
  }

  @Override
  public int fill(ByteBuffer buffer) throws IOException {
    if (repeats.hasJustAnswered()) {
      return 0;
    }
    HttpConnection begun = buffer.hasRemaining() ? null : Repeats.atRequest(getConnection());
    int filled = super.fill(buffer);
    return filled > 0 && begun != null ? repeats.received(begun, buffer) : filled;
  }

  @Override
  public void fillInterested(Callback callback) {
    if (!repeats.delays(callback)) {
      super.fillInterested(callback);
    }
  }

  /** As {@link #fillInterested}, now that nothing is being sent. */
  void fillInterestedNow(Callback callback) {
    super.fillInterested(callback);
  }

  @Override
  public boolean flush(ByteBuffer... buffers) throws IOException {
    repeats.sending(buffers);
    Part known = part;
    int last = buffers.length - 1;
    if (known == null || last < 0 || !known.isSeenAs(buffers[last])) {
      return super.flush(buffers);
    }
    if (last > 0 && !super.flush(Arrays.copyOf(buffers, last))) {
      return false;
    }
    ByteBuffer view = known.view();
    if (isWriteTurnOver(view.remaining())) {
      return false;
    }
    int position = view.position();
    long taken;
    try {
      taken = known.region().transferTo(known.origin() + position, view.remaining(), getChannel());
    } catch (StorageException e) {
      // Not the client's fault.
      throw e;
    } catch (IOException e) {
      throw new EofException(e);
    }
    if (taken > 0) {
      view.position(position + Math.toIntExact(taken));
      notIdle();
      wrote(taken);
    }
    return !view.hasRemaining();
  }

  /**
   * @param origin where in the region the view's position 0 is, in bytes
   */
  private record Part(FileRegion region, long origin, ByteBuffer view) {
    /** Equal bytes may be of another place. */
    @SuppressWarnings("ReferenceEquality")
    boolean isSeenAs(ByteBuffer buffer) {
      return buffer == view;
    }
  }
}
