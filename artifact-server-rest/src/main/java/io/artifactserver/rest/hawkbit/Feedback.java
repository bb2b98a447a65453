package io.artifactserver.rest.hawkbit;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Tells hawkBit of downloads, as the device: a line in the history of its action. Thread-safe.
 *
 * <p>The line says {@code download}, never {@code downloaded}, which ends an action that only
 * downloads. Its address has the action's number, and the device's own resource tells that.
 *
 * @param queue hawkBit is asked no more often than it allows
 * @param outbox where reports wait
 */
record Feedback(HawkbitClient client, QuestionQueue queue, Outbox outbox)
    implements Reports.Recipient {
  @Override
  public void tell(Report report, Question question) {
    outbox.add(() -> send(report, question));
  }

  private void send(Report report, Question question) throws IOException, InterruptedException {
    // It has downloaded, so hawkBit has granted it something.
    Asker asker = Asker.known(question.device());
    OptionalLong action = await(queue.ask(asker, () -> client.action(question)));
    if (action.isPresent()) {
      await(queue.ask(asker, () -> client.feedback(question, action.getAsLong(), text(report))));
    }
  }

  private static String text(Report report) {
    Report.Subject subject = report.subject();
    return "artifact-server sent %d of %d bytes of %s: %s"
        .formatted(
            report.bytes(),
            subject.length(),
            subject.fileName(),
            switch (report.state()) {
              case COMPLETE -> "all of it";
              case ABORTED -> "the device stopped, and may resume";
            });
  }

  private static <T> T await(CompletableFuture<T> answer) throws IOException, InterruptedException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw new IOException("Cannot report a download to hawkBit: " + e.getCause(), e);
    }
  }
}
