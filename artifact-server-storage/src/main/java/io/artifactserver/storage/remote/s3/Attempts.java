package io.artifactserver.storage.remote.s3;

import java.time.Duration;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenResponse;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.retries.api.RetryToken;
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException;

/**
 * Counts the attempts of one operation against the rule for all of them. An operation is a request,
 * or a read with every request that it takes to get its bytes. Used by one thread at a time.
 */
final class Attempts {
  private final RetryStrategy rule;
  private RetryToken token;

  /**
   * @param rule says which failures are worth another attempt, how many there are, and the pauses
   */
  Attempts(RetryStrategy rule) {
    this.rule = rule;
    this.token = rule.acquireInitialToken(AcquireInitialTokenRequest.create("s3")).token();
  }

  /**
   * Pauses before another attempt.
   *
   * @return false, without a pause, if there is to be none
   */
  boolean pauseBeforeNext(Exception failure) {
    if (failure instanceof AbortedException || Thread.currentThread().isInterrupted()) {
      return false;
    }
    try {
      RefreshRetryTokenResponse next =
          rule.refreshRetryToken(
              RefreshRetryTokenRequest.builder()
                  .token(token)
                  .failure(failure)
                  .suggestedDelay(Duration.ZERO)
                  .build());
      token = next.token();
      Thread.sleep(next.delay());
      return true;
    } catch (TokenAcquisitionFailedException _) {
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
