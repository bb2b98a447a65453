package io.artifactserver.rest.console;

import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.RolloutStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/** Devices of one artifact, by what they have. Immutable. */
record DevicesStore(Map<DeliveredBytes, Long> devices) implements RolloutStore {
  @Override
  public void delivered(ProgressSubject subject, ObjLongConsumer<DeliveredBytes> consumer) {
    devices.forEach(consumer::accept);
  }

  @Override
  public long active(Instant since) {
    return devices.size();
  }

  @Override
  public long seen(String repository) {
    return 0;
  }

  @Override
  public List<DeviceProgress> slowest(ProgressSubject subject, Instant since, int limit) {
    return List.of();
  }

  @Override
  public List<DeviceProgress> stuck(ProgressSubject subject, Instant since, int limit) {
    return List.of();
  }
}
