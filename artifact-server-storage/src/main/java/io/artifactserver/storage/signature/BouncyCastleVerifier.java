package io.artifactserver.storage.signature;

import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.SignatureVerifier;
import io.artifactserver.core.attachment.TrustedKey;
import io.artifactserver.core.digest.Digests;
import java.security.MessageDigest;
import java.util.Optional;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.jcajce.provider.digest.Blake2b;

/** Verifies signatures of minisign and CMS. Immutable, thread-safe. */
public final class BouncyCastleVerifier implements SignatureVerifier {
  @Override
  public Optional<TrustedKey.Format> format(byte[] signature) throws BadDocumentException {
    if (Minisign.isOne(signature)) {
      String algorithm =
          Minisign.algorithm(signature)
              .orElseThrow(() -> new BadDocumentException(1, "It is no signature of minisign"));
      if (algorithm.equals(Minisign.LEGACY)) {
        throw new BadDocumentException(
            2, "It is a signature of minisign's old kind (-l), which is over the file's own bytes");
      }
      return Optional.of(TrustedKey.Format.MINISIGN);
    }
    Optional<ContentInfo> cms = CmsSignatures.parse(signature);
    if (cms.filter(CmsSignatures::isAround).isPresent()) {
      throw new BadDocumentException(
          1, "It is a CMS signature with content in it; sign without -nodetach");
    }
    return cms.map(_ -> TrustedKey.Format.CMS);
  }

  @Override
  public Optional<MessageDigest> digest(TrustedKey.Format format) {
    return switch (format) {
      case MINISIGN -> Optional.of(new Blake2b.Blake2b512());
      case CMS -> Optional.empty();
    };
  }

  @Override
  public void requireUsable(TrustedKey key) {
    switch (key.format()) {
      case MINISIGN -> {
        var _ = Minisign.key(key.key());
      }
      case CMS -> {
        var _ = CmsSignatures.publicKey(key.key());
      }
    }
  }

  @Override
  public boolean isGood(TrustedKey key, byte[] signature, Digests digests, byte[] digest) {
    return switch (key.format()) {
      case MINISIGN -> digest.length > 0 && Minisign.isGood(key.key(), signature, digest);
      case CMS -> CmsSignatures.isGood(key.key(), signature, digests);
    };
  }
}
