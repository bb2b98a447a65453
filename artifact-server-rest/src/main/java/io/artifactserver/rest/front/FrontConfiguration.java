package io.artifactserver.rest.front;

import io.artifactserver.rest.api.artifact.UploadProperties;
import io.artifactserver.rest.server.guard.UploadTurns;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.ApiVersion;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointWebExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.json.JsonMapper;

/** Wires the way to the control plane, and its threads. */
@Configuration(proxyBeanMethods = false)
@Import({ProblemWriter.class, ProblemErrorHandler.class, RefusalHandler.class, ControlPlane.class})
public class FrontConfiguration {
  private static final int CALLER_THREADS = 16;
  private static final int WAITING_CALLERS = 256;

  /** A caller has a quarter of what there is for callers, an admin half of what is for admins. */
  private static final int CALLERS_SHARE = 4;

  private static final int ADMINS_SHARE = 2;

  /** Each has a buffer, and waits for the disk and the database. */
  private static final int UPLOAD_TURNS = 8;

  /**
   * Each waits for the identity provider, 5 s at most. An address has one, and 16 places to wait.
   */
  private static final int SIGN_IN_THREADS = 4;

  private static final int WAITING_SIGN_INS = 64;
  private static final int SIGN_INS_SHARE = 4;

  private static final int STRANGER_THREADS = 4;
  private static final int WAITING_STRANGERS = 1024;
  private static final int REQUESTS_OF_A_STRANGER = 512;

  /** One for each of its paths. */
  private static final int HEALTH_THREADS = 3;

  @Bean
  ControlThreads controlThreads(UploadProperties uploads) {
    return new ControlThreads(
        new CallerThreads("admin-", CALLER_THREADS, WAITING_CALLERS, ADMINS_SHARE),
        new CallerThreads("control-", CALLER_THREADS, WAITING_CALLERS, CALLERS_SHARE),
        new UploadThreads("upload-", uploads.maxConcurrent()),
        new UploadThreads("waiting-upload-", uploads.maxUnfinished()),
        new UploadTurns(UPLOAD_TURNS),
        new CallerThreads("sign-in-", SIGN_IN_THREADS, WAITING_SIGN_INS, SIGN_INS_SHARE),
        new Lookups(
            "stranger-",
            STRANGER_THREADS,
            WAITING_STRANGERS,
            REQUESTS_OF_A_STRANGER,
            Lookups.PER_MISS));
  }

  @Bean(destroyMethod = "shutdownNow")
  ExecutorService healthChecks() {
    return Executors.newFixedThreadPool(
        HEALTH_THREADS, Thread.ofPlatform().daemon().name("health-", 0).factory());
  }

  /**
   * @param health is there when the server has started
   */
  @Bean
  HealthAnswers healthAnswers(
      ObjectProvider<HealthEndpointWebExtension> health,
      JsonMapper mapper,
      ExecutorService healthChecks) {
    return new HealthAnswers(
        path ->
            health
                .getObject()
                .health(
                    ApiVersion.V3, WebServerNamespace.SERVER, SecurityContext.NONE, false, path),
        mapper,
        healthChecks,
        System::nanoTime);
  }
}
