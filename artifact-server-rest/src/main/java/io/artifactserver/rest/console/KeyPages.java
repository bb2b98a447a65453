package io.artifactserver.rest.console;

import io.artifactserver.rest.api.access.LinkController;
import io.artifactserver.rest.api.artifact.RingKeyController;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** Keys of signed links, and those that encrypt. Thread-safe. */
@Controller
@Hidden
public record KeyPages(Templates templates, LinkController links, RingKeyController ring) {
  /** All keys, without their secrets. */
  @GetMapping("/console/keys")
  ResponseEntity<byte[]> list() {
    return templates.page(
        HttpStatus.OK,
        "keys",
        "Keys",
        Map.of("linkKeys", links.keys().keys(), "ringKeys", ring.list().keys()));
  }
}
