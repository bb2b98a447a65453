package io.artifactserver.storage.lint;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.cms.SignedData;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;

/**
 * RAUC's bundles: a squashfs, for some formats a tree of hashes, a signature in CMS, and the
 * signature's length in eight bytes. The signature of "plain" lies beside what it signs; those of
 * the other formats have the manifest in them. Pure functions.
 */
final class RaucBundle {
  private static final byte[] SQUASHFS = "hsqs".getBytes(StandardCharsets.US_ASCII);

  /** RAUC's own bound of a signature, in bytes. */
  private static final int MAX_SIGNATURE = 64 * 1024;

  private RaucBundle() {}

  static boolean mayBeOne(byte[] head) {
    return head.length > SQUASHFS.length
        && Arrays.equals(head, 0, SQUASHFS.length, SQUASHFS, 0, SQUASHFS.length);
  }

  /** Whether a squashfs is a bundle of the format "plain". */
  static boolean isPlain(Blob blob) throws StorageException {
    byte[] tail = FormatLint.read(blob, blob.length() - Long.BYTES, Long.BYTES);
    if (tail.length < Long.BYTES) {
      return false;
    }
    long length = ByteBuffer.wrap(tail).getLong();
    if (length < 1 || length > MAX_SIGNATURE || length > blob.length() - Long.BYTES) {
      return false;
    }
    return isDetached(FormatLint.read(blob, blob.length() - Long.BYTES - length, (int) length));
  }

  private static boolean isDetached(byte[] signature) {
    try {
      ContentInfo info = ContentInfo.getInstance(signature);
      return PKCSObjectIdentifiers.signedData.equals(info.getContentType())
          && SignedData.getInstance(info.getContent()).getEncapContentInfo().getContent() == null;
    } catch (RuntimeException _) {
      // No signature: an ordinary squashfs.
      return false;
    }
  }
}
