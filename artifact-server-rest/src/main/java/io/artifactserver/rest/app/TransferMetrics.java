package io.artifactserver.rest.app;

import io.artifactserver.core.blob.StorageException.BlobLost;
import io.artifactserver.rest.delivery.body.TransferObserver;
import io.artifactserver.rest.delivery.body.TransferOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Counts transfers, their bytes and durations by kind and ending. Thread-safe. */
@Component
public class TransferMetrics implements TransferObserver {
  private final Map<TransferOutcome.Kind, Map<TransferOutcome.Ending, Meters>> meters =
      new EnumMap<>(TransferOutcome.Kind.class);

  private final DamagedBlobs damagedBlobs;

  public TransferMetrics(MeterRegistry registry, DamagedBlobs damagedBlobs) {
    this.damagedBlobs = damagedBlobs;
    for (TransferOutcome.Kind kind : TransferOutcome.Kind.values()) {
      Map<TransferOutcome.Ending, Meters> ofKind = new EnumMap<>(TransferOutcome.Ending.class);
      for (TransferOutcome.Ending ending : TransferOutcome.Ending.values()) {
        ofKind.put(ending, Meters.register(registry, kind, ending));
      }
      meters.put(kind, ofKind);
    }
  }

  @Override
  public void transferred(TransferOutcome outcome) {
    Map<TransferOutcome.Ending, Meters> ofKind = meters.get(outcome.kind());
    Meters found = ofKind == null ? null : ofKind.get(outcome.ending());
    if (found != null) {
      found.bytes().increment((double) outcome.bytes());
      found.duration().record(outcome.duration());
    }
  }

  @Override
  public void lost(BlobLost loss) {
    damagedBlobs.found(loss);
  }

  private record Meters(Counter bytes, Timer duration) {
    static Meters register(
        MeterRegistry registry, TransferOutcome.Kind kind, TransferOutcome.Ending ending) {
      String kindTag = kind.name().toLowerCase(Locale.ROOT);
      String endingTag = ending.name().toLowerCase(Locale.ROOT);
      return new Meters(
          Counter.builder("artifact_server.transfer.bytes")
              .description("Bytes of artifacts that connections took")
              .baseUnit("bytes")
              .tags("kind", kindTag, "ending", endingTag)
              .register(registry),
          Timer.builder("artifact_server.transfer")
              .description("Downloads, from the plan to the last byte")
              .tags("kind", kindTag, "ending", endingTag)
              .register(registry));
    }
  }
}
