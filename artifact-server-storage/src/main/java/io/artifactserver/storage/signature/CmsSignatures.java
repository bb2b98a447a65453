package io.artifactserver.storage.signature;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.Provider;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.NamedParameterSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.RSASSAPSSparams;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.SignerInformationVerifier;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.OperatorCreationException;

/**
 * Signatures in CMS that lie beside what they sign, in DER or PEM. They are verified with the
 * digests that the catalog has, so no byte of the artifact is read. The key is trusted, and nothing
 * that comes with a signature: neither certificates nor their dates. Pure functions.
 */
final class CmsSignatures {
  private static final int MIN_RSA = 2048;

  /** Bouncy Castle's names of PSS are not the JDK's. */
  private static final Provider PROVIDER = new BouncyCastleProvider();

  /** Those whose collisions are not known. */
  private static final Map<ASN1ObjectIdentifier, DigestAlgorithm> DIGESTS =
      Map.of(
          NISTObjectIdentifiers.id_sha256, DigestAlgorithm.SHA_256,
          NISTObjectIdentifiers.id_sha512, DigestAlgorithm.SHA_512);

  private static final Set<ASN1ObjectIdentifier> ALGORITHMS =
      Set.of(
          PKCSObjectIdentifiers.rsaEncryption,
          PKCSObjectIdentifiers.sha256WithRSAEncryption,
          PKCSObjectIdentifiers.sha512WithRSAEncryption,
          PKCSObjectIdentifiers.id_RSASSA_PSS,
          X9ObjectIdentifiers.ecdsa_with_SHA256,
          X9ObjectIdentifiers.ecdsa_with_SHA512,
          EdECObjectIdentifiers.id_Ed25519);

  private CmsSignatures() {}

  /** Returns a file's content as CMS, if it is that. */
  static Optional<ContentInfo> parse(byte[] file) {
    try {
      if (file.length > 0 && file[0] == '-') {
        try (PEMParser parser =
            new PEMParser(
                new InputStreamReader(new ByteArrayInputStream(file), StandardCharsets.US_ASCII))) {
          return parser.readObject() instanceof ContentInfo info && isSigned(info)
              ? Optional.of(info)
              : Optional.empty();
        }
      }
      ContentInfo info = ContentInfo.getInstance(file);
      return isSigned(info) ? Optional.of(info) : Optional.empty();
    } catch (IOException | RuntimeException _) {
      // The parser meets broken bytes with exceptions of every kind.
      return Optional.empty();
    }
  }

  private static boolean isSigned(ContentInfo info) {
    return PKCSObjectIdentifiers.signedData.equals(info.getContentType());
  }

  /** Whether a signature has the signed bytes in it. */
  static boolean isAround(ContentInfo info) {
    try {
      return new CMSSignedData(info).getSignedContent() != null;
    } catch (CMSException | RuntimeException _) {
      return false;
    }
  }

  /** Whether the owner of a key has signed an artifact. */
  static boolean isGood(String key, byte[] signature, Digests digests) {
    Map<ASN1ObjectIdentifier, byte[]> hashes = new HashMap<>();
    DIGESTS.forEach((name, algorithm) ->
        digests.get(algorithm).map(Digest::bytes).ifPresent(bytes -> hashes.put(name, bytes)));
    try {
      SignerInformationVerifier verifier =
          new JcaSimpleSignerInfoVerifierBuilder().setProvider(PROVIDER).build(publicKey(key));
      ContentInfo info = parse(signature).orElseThrow(() -> new CMSException("It is no CMS"));
      for (SignerInformation signer : new CMSSignedData(hashes, info).getSignerInfos()) {
        if (isGood(signer, verifier)) {
          return true;
        }
      }
      return false;
    } catch (CMSException | OperatorCreationException | RuntimeException _) {
      return false;
    }
  }

  private static boolean isGood(SignerInformation signer, SignerInformationVerifier verifier) {
    try {
      return DIGESTS.containsKey(signer.getDigestAlgorithmID().getAlgorithm())
          && isKnown(signer.toASN1Structure().getDigestEncryptionAlgorithm())
          && signer.verify(verifier);
    } catch (CMSException | RuntimeException _) {
      // Another signer's, or no signature at all.
      return false;
    }
  }

  /** PSS names a digest of its own, which is SHA-1 if it is left out (RFC 4055, section 3.1). */
  private static boolean isKnown(AlgorithmIdentifier signature) {
    ASN1ObjectIdentifier name = signature.getAlgorithm();
    return ALGORITHMS.contains(name)
        && (!name.equals(PKCSObjectIdentifiers.id_RSASSA_PSS)
            || DIGESTS.containsKey(
                RSASSAPSSparams.getInstance(signature.getParameters())
                    .getHashAlgorithm()
                    .getAlgorithm()));
  }

  /**
   * Returns the key of a certificate, or a public key, in PEM.
   *
   * @throws IllegalArgumentException if it is neither, too weak, or verifies nothing here
   */
  static PublicKey publicKey(String pem) {
    PublicKey key;
    try (PEMParser parser = new PEMParser(new StringReader(pem))) {
      key =
          switch (parser.readObject()) {
            case X509CertificateHolder certificate ->
                new JcaPEMKeyConverter().getPublicKey(certificate.getSubjectPublicKeyInfo());
            case SubjectPublicKeyInfo info -> new JcaPEMKeyConverter().getPublicKey(info);
            case null, default -> throw new PEMException("It is neither");
          };
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "A key for CMS is a certificate or a public key in PEM", e);
    }
    if (key instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() < MIN_RSA) {
      throw new IllegalArgumentException("An RSA key has at least %d bits".formatted(MIN_RSA));
    }
    if (!(key instanceof RSAPublicKey || key instanceof ECPublicKey || isEd25519(key))) {
      throw new IllegalArgumentException("A key for CMS is one of RSA, ECDSA or Ed25519");
    }
    return key;
  }

  private static boolean isEd25519(PublicKey key) {
    return key instanceof EdECKey edwards
        && edwards.getParams().getName().equals(NamedParameterSpec.ED25519.getName());
  }
}
