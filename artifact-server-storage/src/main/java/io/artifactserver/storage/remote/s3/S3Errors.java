package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import java.io.UncheckedIOException;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;

/** Classifies what the SDK throws. Immutable, thread-safe. */
record S3Errors(String bucket) {
  private static final int NOT_MODIFIED = 304;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int GONE = 410;
  private static final int PRECONDITION_FAILED = 412;
  private static final int RANGE_NOT_SATISFIABLE = 416;
  private static final int NOT_IMPLEMENTED = 501;
  private static final int INSUFFICIENT_STORAGE = 507;
  private static final Set<Integer> ABOUT_OBJECT =
      Set.of(NOT_MODIFIED, NOT_FOUND, GONE, PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE);
  private static final Set<String> CONDITION_REFUSED =
      Set.of("NotImplemented", "InvalidArgument", "InvalidRequest");
  private static final Set<String> FULL =
      Set.of("QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "InsufficientCapacity");

  /** A read of a blob failed. */
  StorageException ofBlob(BlobRef ref, String operation, SdkException e) {
    if (status(e) == NOT_FOUND && !isNoBucket(e)) {
      return new StorageException.BlobNotFound(S3BlobStore.NAME, ref, e);
    }
    return unavailable("cannot " + operation + " blob " + ref.key(), e);
  }

  /** An upload failed. */
  StorageException ofUpload(String key, SdkException e) {
    if (status(e) == INSUFFICIENT_STORAGE || FULL.contains(code(e))) {
      return new StorageException.StorageFull(
          S3BlobStore.NAME, "no room for blob %s: %s".formatted(key, e.getMessage()), e);
    }
    return unavailable("cannot store blob " + key, e);
  }

  /** Something else failed. */
  StorageException ofStore(String operation, SdkException e) {
    return unavailable("cannot " + operation, e);
  }

  /** Whether what was asked for is not there. */
  static boolean isNotFound(SdkException e) {
    return status(e) == NOT_FOUND;
  }

  /** Whether the answer says something of the object, which a gateway may not know. */
  static boolean isAboutObject(SdkException e) {
    return ABOUT_OBJECT.contains(status(e)) && !isNoBucket(e);
  }

  /** Whether a condition of the request did not hold. */
  static boolean isPreconditionFailed(SdkException e) {
    return status(e) == PRECONDITION_FAILED;
  }

  /** Whether the server may know the request, but not its condition. */
  static boolean isConditionRefused(SdkException e) {
    return status(e) == NOT_IMPLEMENTED || CONDITION_REFUSED.contains(code(e));
  }

  /** Whether the server answered at all. */
  static boolean isAnswer(SdkException e) {
    return e instanceof AwsServiceException;
  }

  /** An answer that ended, or stopped coming, within its body. */
  static SdkException brokeOff(UncheckedIOException e) {
    return SdkClientException.create("the answer broke off: " + e.getMessage(), e);
  }

  /** Whether the answer ended within its body: the server did what it was asked to, perhaps. */
  static boolean isBrokenOff(SdkException e) {
    return e.getCause() instanceof UncheckedIOException;
  }

  static int status(SdkException e) {
    return e instanceof AwsServiceException service ? service.statusCode() : 0;
  }

  static boolean isNoBucket(SdkException e) {
    return "NoSuchBucket".equals(code(e));
  }

  private StorageException unavailable(String what, SdkException e) {
    String remedy = "";
    if (isNoBucket(e)) {
      remedy = "; there is no bucket \"%s\"".formatted(bucket);
    } else if (status(e) == FORBIDDEN) {
      remedy =
          "; the credentials do not allow that in bucket \"%s\", docs/storage.md lists what they need"
              .formatted(bucket);
    }
    return new StorageException.StorageUnavailable(
        S3BlobStore.NAME, "%s: %s%s".formatted(what, e.getMessage(), remedy), e);
  }

  /** Empty if the answer had no body, as that to a HEAD. */
  private static String code(SdkException e) {
    String code =
        e instanceof AwsServiceException service && service.awsErrorDetails() != null
            ? service.awsErrorDetails().errorCode()
            : null;
    return code == null ? "" : code;
  }
}
