package io.artifactserver.rest.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CertificateSubjectsTest {
  /** A common name is not taken for another kind of name, nor for the wildcard. */
  @ParameterizedTest
  @CsvSource({
    "device-17, device-17",
    "*, cn:*",
    "dns:device.example, cn:dns:device.example",
    "uri:urn:device:19, cn:uri:urn:device:19",
    "cn:*, cn:cn:*",
    "*.example, *.example"
  })
  void commonNamesHaveANamespaceOfTheirOwn(String commonName, String subject) {
    assertThat(CertificateSubjects.ofCommonName(commonName)).isEqualTo(subject);
  }
}
