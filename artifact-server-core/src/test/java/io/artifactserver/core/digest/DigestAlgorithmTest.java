package io.artifactserver.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DigestAlgorithmTest {
  /** The vectors for "abc" of RFC 1321, section A.5, and FIPS 180-4's examples. */
  @ParameterizedTest
  @CsvSource({
    "MD5, 900150983cd24fb0d6963f7d28e17f72",
    "SHA_1, a9993e364706816aba3e25717850c26c9cd0d89d",
    "SHA_256, ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "SHA_512, ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
  })
  void computesTheKnownVector(DigestAlgorithm algorithm, String expected) {
    byte[] abc = "abc".getBytes(StandardCharsets.US_ASCII);
    assertThat(Digest.of(algorithm, algorithm.newMessageDigest().digest(abc)))
        .isEqualTo(new Digest(algorithm, expected));
  }

  @ParameterizedTest
  @EnumSource
  void aNewOneKnowsNothingOfTheOthers(DigestAlgorithm algorithm) {
    byte[] empty = algorithm.newMessageDigest().digest();
    MessageDigest fed = algorithm.newMessageDigest();
    fed.update((byte) 1);
    assertThat(algorithm.newMessageDigest().digest()).isEqualTo(empty);
    assertThat(fed.digest()).isNotEqualTo(empty);
  }

  /** RFC 9530, section 5, and the registry it began. */
  @ParameterizedTest
  @CsvSource({
    "MD5, md5, md5",
    "SHA_1, sha1, sha",
    "SHA_256, sha256, sha-256",
    "SHA_512, sha512, sha-512"
  })
  void isFoundByIdAndFieldKey(DigestAlgorithm algorithm, String id, String fieldKey) {
    assertThat(algorithm.id()).isEqualTo(id);
    assertThat(algorithm.fieldKey()).isEqualTo(fieldKey);
    assertThat(DigestAlgorithm.ofId(id)).contains(algorithm);
    assertThat(DigestAlgorithm.ofFieldKey(fieldKey)).contains(algorithm);
  }

  @Test
  void fieldKeysIgnoreCaseAndIdsDoNot() {
    assertThat(DigestAlgorithm.ofFieldKey("SHA-256")).contains(DigestAlgorithm.SHA_256);
    assertThat(DigestAlgorithm.ofId("SHA256")).isEmpty();
    assertThat(DigestAlgorithm.ofFieldKey("crc32c")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void knowsItsLength(DigestAlgorithm algorithm) {
    assertThat(algorithm.newMessageDigest().getDigestLength()).isEqualTo(algorithm.length());
  }
}
