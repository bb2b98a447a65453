package io.artifactserver.rest.delivery;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.rest.access.IssuerUnavailableException;
import io.artifactserver.rest.access.Sender;
import io.artifactserver.rest.delivery.Answers.Asked;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.resolve.Resolution;
import io.artifactserver.rest.delivery.resolve.Resolver;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.Lookups;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.log.FailureLog;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.guard.Connections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Finds out what downloads ask for: at once from memory, or with a lookup that waits for its turn.
 * Thread-safe; nothing blocks.
 */
record Downloads(
    Resolver resolver,
    Answers answers,
    ProblemWriter problems,
    Lookups lookups,
    Connections connections) {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(Downloads.class));

  /** Answers, now or later. */
  void serve(Asked asked) {
    Optional<Resolution> known = resolver.peek(asked.target(), asked.credentials());
    if (known.isPresent()) {
      answers.answer(asked, known.get(), true, this::serve);
    } else if (asked.target() instanceof Target.Granted wish) {
      var _ =
          resolver
              .ask(wish, asked.credentials(), client(asked))
              .thenAccept(found -> answer(asked, found))
              .exceptionally(failure -> {
                asked.exchange().fail(failure);
                return null;
              });
    } else {
      serveUnknown(asked);
    }
  }

  private void serveUnknown(Asked asked) {
    Sender sender = resolver.sender(asked.credentials(), client(asked));
    if (sender.isThrottled()) {
      answer(asked, new Resolution.Throttled());
    } else if (!lookups.run(sender, () -> lookUp(asked))) {
      problems.write(asked.exchange(), Problems.tooManyLookups(), answers.fields(asked));
    }
  }

  /** Returns whether there is something. */
  private boolean lookUp(Asked asked) {
    Exchange exchange = asked.exchange();
    try {
      Resolution found = resolver.resolve(asked.target(), asked.credentials(), client(asked));
      answer(asked, found);
      return found instanceof Resolution.Found || found instanceof Resolution.Followed;
    } catch (CatalogUnavailableException e) {
      FAILURES.failed("Cannot look up " + exchange.request().getHttpURI().getPath(), e);
      problems.write(exchange, Problems.catalogUnavailable(), answers.fields(asked));
    } catch (IssuerUnavailableException e) {
      problems.write(exchange, Problems.issuerUnavailable(), answers.fields(asked));
    } catch (RuntimeException e) {
      exchange.fail(e);
    }
    return false;
  }

  private void answer(Asked asked, Resolution found) {
    answers.answer(asked, found, false, this::serve);
  }

  private @Nullable Object client(Asked asked) {
    return connections.client(asked.exchange().request());
  }
}
