package io.artifactserver.core.upload;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.Admission;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The request of an upload, with the length and the digests that are known by now, and the room
 * that is reserved for it. Used under the lock of the upload, except for {@link #request()} and
 * {@link #length()}.
 */
final class AdmittedRequest {
  private final UploadPorts ports;
  private final String uploadId;
  private final boolean encrypted;
  private final boolean isPart;
  private final boolean isOfParts;
  private final AtomicReference<@Nullable Admission> admission;
  private final AtomicReference<IngestRequest> request;

  /**
   * @param upload as it was found or begun
   * @param admission empty if there was no room yet
   */
  AdmittedRequest(UploadPorts ports, UnfinishedUpload upload, Optional<Admission> admission) {
    this.ports = ports;
    this.uploadId = upload.id();
    this.encrypted = upload.encrypted();
    this.isPart = upload.isPart();
    this.isOfParts = !upload.parts().isEmpty();
    this.admission = new AtomicReference<>(admission.orElse(null));
    this.request = new AtomicReference<>(upload.request());
  }

  IngestRequest request() {
    return request.get();
  }

  /** In bytes, or {@link IngestRequest#UNKNOWN_LENGTH}. */
  long length() {
    return request.get().declaredLength();
  }

  /**
   * Declares the length, and reserves the room. Asks the database.
   *
   * @param position of the next byte: the upload cannot be shorter
   */
  void declareLength(long newLength, long position) throws UploadException, IngestException {
    long known = length();
    if (known == newLength) {
      return;
    }
    if (known != IngestRequest.UNKNOWN_LENGTH || newLength < position) {
      throw new UploadException.WrongLength(uploadId, Math.max(known, position), newLength);
    }
    growTo(newLength);
    declare(request.get().ofLength(newLength));
  }

  /** Declares digests of the whole upload. Asks the database if that changes the request. */
  void expect(List<Digest> digests) {
    IngestRequest expecting = request.get().expecting(digests);
    if (!expecting.equals(request.get())) {
      declare(expecting);
    }
  }

  private void declare(IngestRequest declared) {
    ports.rows().declare(uploadId, declared);
    request.set(declared);
  }

  /**
   * Makes the reserved room at least {@code length} bytes. May ask the database. An upload of parts
   * gets {@linkplain #takeRoomOf their room} instead, part by part.
   */
  void growTo(long length) throws IngestException {
    if (isOfParts) {
      admission().requireAllowed(length);
    } else {
      admission().growTo(length);
    }
  }

  /**
   * Reserves the room of bytes that are there. May ask the database.
   *
   * @param position of the next byte
   * @param partsLeft bytes of the parts that are not in place: they have room of their own
   */
  void reserve(long position, long partsLeft) throws IngestException {
    admission().growTo(isOfParts ? length() - partsLeft : position);
  }

  /**
   * Takes over the room of a part. Nobody else gets it meanwhile.
   *
   * @param end of the part in this upload, in bytes
   */
  void takeRoomOf(AdmittedRequest part, long end) throws IngestException {
    Admission whole = admission();
    @Nullable Admission admitted = part.admission.getAndSet(null);
    if (admitted != null) {
      whole.absorb(admitted);
    }
    // For one that had no room: a restart found none, or it was ended meanwhile.
    whole.growTo(end);
  }

  /** Returns what was reserved, or reserves it: after a restart, or when there was no room. */
  Admission admission() throws IngestException {
    @Nullable Admission admitted = admission.get();
    if (admitted == null) {
      IngestRequest known = request.get();
      admitted = ports.ingest().readmit(isOfParts ? known.ofLength(0) : known, encrypted, isPart);
      admission.set(admitted);
    }
    return admitted;
  }

  /** Gives back the room. May be repeated. */
  void giveRoomBack() {
    @Nullable Admission admitted = admission.getAndSet(null);
    if (admitted != null) {
      admitted.close();
    }
  }
}
