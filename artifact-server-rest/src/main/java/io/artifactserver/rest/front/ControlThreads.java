package io.artifactserver.rest.front;

import io.artifactserver.rest.server.guard.UploadTurns;

/**
 * The threads of the control plane, so that nobody takes those of others. Thread-safe.
 *
 * @param admins run requests of admins, so that they can always take a token away
 * @param callers run those of others with a good token
 * @param uploads run those that wait for their client
 * @param resumable run those of uploads that may go on in another request, and mostly wait
 * @param turns are taken by those while they do not wait
 * @param signIns run those that wait for the identity provider, whoever sends them
 * @param strangers run all others: of open paths, and with tokens that are to be looked up
 */
record ControlThreads(
    CallerThreads admins,
    CallerThreads callers,
    UploadThreads uploads,
    UploadThreads resumable,
    UploadTurns turns,
    CallerThreads signIns,
    Lookups strangers)
    implements AutoCloseable {
  @Override
  public void close() {
    admins.close();
    callers.close();
    uploads.close();
    resumable.close();
    signIns.close();
    strangers.close();
  }
}
