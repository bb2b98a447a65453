package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.zxing.common.BitMatrix;
import com.google.zxing.qrcode.decoder.Decoder;
import io.artifactserver.rest.problem.ProblemException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class QrCodeTest {
  private static final Pattern SIZE = Pattern.compile("viewBox=\"0 0 (\\d+) ");
  private static final Pattern MODULE = Pattern.compile("M(\\d+) (\\d+)h1v1h-1z");

  @Test
  void isReadAsTheLink() throws Exception {
    String link =
        "https://artifacts.example.com/artifacts/boards/board%20a/1.0/fw.img?as-method=GET"
            + "&as-expires=1795525200&as-key=0a1b2c3d"
            + "&as-signature=4UaAA9-S9BocFI8wCGDLuKs5XI2GLSF6VriR20DJWvQ";
    String svg = QrCode.svg(link);
    Matcher size = SIZE.matcher(svg);
    assertThat(size.find()).isTrue();
    int width = Integer.parseInt(size.group(1)) - 8;
    BitMatrix modules = new BitMatrix(width);
    Matcher module = MODULE.matcher(svg);
    while (module.find()) {
      modules.set(Integer.parseInt(module.group(1)) - 4, Integer.parseInt(module.group(2)) - 4);
    }
    assertThat(new Decoder().decode(modules).getText()).isEqualTo(link);
  }

  @Test
  void aTextThatDoesNotFitIsRefused() {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> QrCode.svg("x".repeat(5000)));
  }
}
