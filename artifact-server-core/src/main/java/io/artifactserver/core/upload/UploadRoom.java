package io.artifactserver.core.upload;

import io.artifactserver.core.ingest.Admission;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The room that is reserved for an upload. Used under the lock of the upload. */
final class UploadRoom implements AutoCloseable {
  private final UploadPorts ports;
  private final boolean encrypted;
  private final AtomicReference<@Nullable Admission> admission;

  UploadRoom(UploadPorts ports, boolean encrypted, Optional<Admission> admission) {
    this.ports = ports;
    this.encrypted = encrypted;
    this.admission = new AtomicReference<>(admission.orElse(null));
  }

  /** Returns what was reserved, or reserves it: after a restart, or when there was no room. */
  Admission of(IngestRequest request) throws IngestException {
    @Nullable Admission admitted = admission.get();
    if (admitted == null) {
      admitted = ports.ingest().readmit(request, encrypted);
      admission.set(admitted);
    }
    return admitted;
  }

  /** Gives it back. */
  @Override
  public void close() {
    @Nullable Admission admitted = admission.getAndSet(null);
    if (admitted != null) {
      admitted.close();
    }
  }
}
