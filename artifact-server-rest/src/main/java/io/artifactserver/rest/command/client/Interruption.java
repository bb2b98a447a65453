package io.artifactserver.rest.command.client;

/** Does something when the process is stopped, as by Ctrl-C, before this is closed. */
final class Interruption implements AutoCloseable {
  private final Thread hook;

  Interruption(Runnable onStop) {
    this.hook = new Thread(onStop);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    try {
      var _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is stopping, and the hook runs.
    }
  }
}
