package io.artifactserver.rest.delivery.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.delivery.address.InstallReport.Event;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstallReportTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "started,4711                     | STARTED | 4711",
        "success , 4711 ,1.2,2026-01-01   | SUCCESS | 4711",
        "FAIL                             | FAIL    | ''",
        "fail,                            | FAIL    | ''",
      })
  void theEventComesFirstAndTheDeviceNext(String line, Event event, String device) {
    assertThat(InstallReport.parse(line)).contains(new InstallReport(event, device));
    assertThat(InstallReport.parse(line + "\r\n")).contains(new InstallReport(event, device));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",", "4711,fail", "failed,4711", "#14,fail", "\u0000"})
  void anotherLineIsNone(String line) {
    assertThat(InstallReport.parse(line)).isEmpty();
  }
}
