package io.artifactserver.rest.api.artifact;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MediaTypesTest {
  @ParameterizedTest
  @CsvSource({
    "boot/BOOTX64.EFI, application/efi",
    "live.iso, application/vnd.efi.iso",
    "board-a/1.0/disk.img, application/vnd.efi.img",
    "app.tar.gz, application/gzip",
    "v1.iso/firmware, application/octet-stream",
    "firmware, application/octet-stream",
    "firmware., application/octet-stream",
    "firmware.bin, application/octet-stream",
    "x/.json, application/json",
  })
  void goesByTheSuffix(String path, String mediaType) {
    assertThat(MediaTypes.of(path)).isEqualTo(mediaType);
  }
}
