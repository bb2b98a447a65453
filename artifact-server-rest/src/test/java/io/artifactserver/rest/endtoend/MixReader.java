package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.MixSite.Line;
import io.artifactserver.rest.endtoend.MixSite.Transport;
import java.io.IOException;

/** Devices that download what takes a token, range by range on one connection of HTTP/1.1. */
enum MixReader implements MixKind {
  READER_OF_PRIVATE(MarkedArtifact.PRIVATE),
  READER_OF_SEALED(MarkedArtifact.SEALED);

  private static final int RANGES = 200;
  private static final int MAX_LENGTH = 1 << 18;

  private final MarkedArtifact artifact;

  MixReader(MarkedArtifact artifact) {
    this.artifact = artifact;
  }

  @Override
  public boolean speaks(Transport transport) {
    return !transport.isHttp2();
  }

  @Override
  public void visit(Visit visit) throws IOException {
    try (Line line = visit.open(0)) {
      Http1Reader in = new Http1Reader(line.socket().getInputStream(), visit.row());
      for (int i = 0; i < RANGES; i++) {
        Ask ask = Ask.range(artifact, visit.token(), visit.random(), MAX_LENGTH);
        visit.send(line, ask.head(false));
        in.answer(ask);
      }
    }
  }
}
