package io.artifactserver.rest.console;

import com.google.zxing.WriterException;
import com.google.zxing.qrcode.decoder.ErrorCorrectionLevel;
import com.google.zxing.qrcode.encoder.ByteMatrix;
import com.google.zxing.qrcode.encoder.Encoder;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Signed links as pictures, for technicians with a telephone. Thread-safe. */
@Controller
@Hidden
public final class QrCode {
  private static final String ARTIFACTS = "/artifacts/";

  /** In characters; a QR code has room for 2,331 of them. */
  private static final int MAX_LENGTH = 2000;

  /** Around the code, in modules: ISO 18004 wants four. */
  private static final int MARGIN = 4;

  /**
   * Draws the address of a link on this server.
   *
   * @param link its absolute path and query, as the API made it
   */
  @GetMapping("/console/qr")
  ResponseEntity<String> draw(@RequestParam String link, HttpServletRequest request) {
    String address = SignInPages.server(request) + link;
    if (!link.startsWith(ARTIFACTS) || address.length() > MAX_LENGTH) {
      throw refused();
    }
    return ResponseEntity.ok()
        .header(HttpHeaders.CONTENT_TYPE, "image/svg+xml")
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        .body(svg(address));
  }

  static String svg(String text) {
    ByteMatrix matrix;
    try {
      matrix = Encoder.encode(text, ErrorCorrectionLevel.M).getMatrix();
    } catch (WriterException e) {
      throw refused();
    }
    StringBuilder path = new StringBuilder();
    for (int y = 0; y < matrix.getHeight(); y++) {
      for (int x = 0; x < matrix.getWidth(); x++) {
        if (matrix.get(x, y) == 1) {
          path.append('M').append(x + MARGIN).append(' ').append(y + MARGIN).append("h1v1h-1z");
        }
      }
    }
    int size = matrix.getWidth() + 2 * MARGIN;
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"><path d=\"%s\"/></svg>"
        .formatted(size, size, path);
  }

  private static ProblemException refused() {
    return new ProblemException(
        HttpStatus.BAD_REQUEST,
        "No link",
        "\"link\" is the path and query of a signed link, of at most %d characters with the"
                .formatted(MAX_LENGTH)
            + " server's address. Shorten the path of the artifact, or copy the link.");
  }
}
