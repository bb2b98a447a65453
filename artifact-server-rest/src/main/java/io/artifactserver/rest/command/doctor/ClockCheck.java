package io.artifactserver.rest.command.doctor;

import java.time.Instant;
import java.util.Optional;

/**
 * Whether the clock can be trusted: certificates and {@code If-Modified-Since} depend on it.
 *
 * @param kernel the kernel's account; empty if it gives none
 */
record ClockCheck(Instant now, Optional<KernelClock> kernel) {
  /** This server cannot have been running before it was written. */
  private static final Instant EARLIEST = Instant.parse("2026-01-01T00:00:00Z");

  private static final String FIX = "timedatectl set-ntp true    # or run chrony, on the host";

  Finding finding() {
    String name = "clock";
    String value = now.toString();
    if (now.isBefore(EARLIEST)) {
      return Finding.fail(
          name, value, "the clock is wrong: certificates and dates of artifacts will be, too", FIX);
    }
    if (kernel.isEmpty()) {
      return Finding.warn(name, value, "the kernel does not say whether it is synchronised", FIX);
    }
    return kernel.get().synchronised()
        ? Finding.ok(
            name,
            value,
            "synchronised, at most %d ms off".formatted(kernel.get().maxErrorMicros() / 1000))
        : Finding.warn(
            name,
            value,
            "no time service that the kernel knows of synchronises it; TLS and If-Modified-Since"
                + " need the right time",
            FIX);
  }
}
