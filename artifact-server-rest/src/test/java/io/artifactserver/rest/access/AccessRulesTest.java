package io.artifactserver.rest.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessRulesTest {
  private static final String ARTIFACTS = "/api/v1/repositories/boards/artifacts/";

  @ParameterizedTest
  @CsvSource({
    "GET,    /api/v1/repositories,                          READER",
    "GET,    /api/v1/repositories/boards,                   READER",
    "GET,    /api/v1/repositories/boards/artifacts,         READER",
    "GET,    /api/v1/repositories/boards/artifacts/x/y,     READER",
    "PUT,    /api/v1/repositories/boards/artifacts/x/y,     PUBLISHER",
    "POST,   /api/v1/repositories/boards/artifacts/x/y,     PUBLISHER",
    "OPTIONS, /api/v1/repositories/boards/artifacts/x/y,    PUBLISHER",
    "DELETE, /api/v1/repositories/boards/artifacts/x/y,     PUBLISHER",
    "GET,    /api/v1/repositories/boards/channels,          READER",
    "GET,    /api/v1/repositories/boards/channels/x,        READER",
    "GET,    /api/v1/repositories/boards/channels/x/history, READER",
    "PUT,    /api/v1/repositories/boards/channels/x,        PUBLISHER",
    "DELETE, /api/v1/repositories/boards/channels/x,        PUBLISHER",
    "POST,   /api/v1/repositories/boards/channels/x/rollback, PUBLISHER",
    "POST,   /api/v1/repositories/boards/channels/x/pause,  PUBLISHER",
    "POST,   /api/v1/repositories/boards/channels/x/resume, PUBLISHER",
    "POST,   /api/v1/repositories/boards/channels/x,        ADMIN",
    "PUT,    /api/v1/repositories/boards/artifacts/x/hold,  ADMIN",
    "PUT,    /api/v1/repositories/boards/artifacts/x/support, ADMIN",
    "POST,   /api/v1/repositories/boards/artifacts/x/undelete, PUBLISHER",
    "PUT,    /api/v1/repositories/boards/retention,         ADMIN",
    "PUT,    /api/v1/repositories/boards/artifacts/hold,    PUBLISHER",
    "PUT,    /api/v1/repositories/boards/artifacts/x/holds, PUBLISHER",
    "DELETE, /api/v1/repositories/boards/artifacts/x/hold,  PUBLISHER",
    "GET,    /api/v1/repositories/boards/artifacts/x/hold,  READER",
    "GET,    /api/v1/repositories/boards/artifacts/x/attachments, READER",
    "POST,   /api/v1/repositories/boards/artifacts/x/attachments, PUBLISHER",
    "GET,    /api/v1/repositories/boards/artifacts/x/attachments/0000000000000000000000000000000000000000000000000000000000000000, READER",
    "DELETE, /api/v1/repositories/boards/artifacts/x/attachments/0000000000000000000000000000000000000000000000000000000000000000, PUBLISHER",
    "GET,    /api/v1/repositories/boards/release-keys,      READER",
    "PUT,    /api/v1/repositories/boards/release-keys,      ADMIN",
    "GET,    /api/v1/progress/affected,                     ADMIN",
    "POST,   /api/v1/uploads,                               PUBLISHER",
    "GET,    /api/v1/uploads/x,                             PUBLISHER",
    "HEAD,   /api/v1/uploads/x,                             PUBLISHER",
    "PATCH,  /api/v1/uploads/x,                             PUBLISHER",
    "DELETE, /api/v1/uploads/x,                             PUBLISHER",
    "GET,    /api/v1/uploads,                               ADMIN",
    "PATCH,  /api/v1/uploads/x/y,                           ADMIN",
    "POST,   /api/v1/links,                                 PUBLISHER",
    "PATCH,  /api/v1/repositories/boards,                   ADMIN",
    "PATCH,  /api/v1/repositories/boards/artifacts/x/y,     ADMIN",
    "DELETE, /api/v1/repositories/boards,                   ADMIN",
    "GET,    /api/v1/tokens,                                ADMIN",
    "GET,    /api/v1/links/keys,                            ADMIN",
    "GET,    /actuator/prometheus,                          ADMIN",
    "GET,    /anything/new,                                 ADMIN",
    "GET,    /console/,                                     READER",
    "GET,    /console/repositories,                         READER",
    "GET,    /console/artifact,                             READER",
    "GET,    /console/download,                             READER",
    "GET,    /console/channels,                             READER",
    "GET,    /console/channel,                              READER",
    "GET,    /console/qr,                                   PUBLISHER",
    "GET,    /console/deleted,                              PUBLISHER",
    "GET,    /console/retention,                            ADMIN",
    "POST,   /console/sign-out,                             READER",
    "GET,    /console/rollout,                              ADMIN",
    "GET,    /console/events,                               ADMIN",
    "GET,    /console/tokens,                               ADMIN",
    "GET,    /console/audit/verification,                   ADMIN",
  })
  void theLeastRole(String method, String path, Role least) {
    for (Role role : Role.values()) {
      assertThat(AccessRules.allow(caller(role, Scope.ALL), method, path))
          .as("%s", role)
          .isEqualTo(role.compareTo(least) <= 0);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "stable/x,          true",
    "st%61ble/x,        true",
    "stable2/x,         false",
    "beta/x,            false",
    "st%2561ble/x,      false",
    "stable%2Fx,        false",
    "stable/../beta/x,  false",
    "stable//x,         false",
    "stable/%00,        false",
    "stable;a=b/x,      false",
    "%zz,               false",
  })
  void aScopeHoldsHoweverThePathIsWritten(String path, boolean isAllowed) {
    Caller caller = caller(Role.PUBLISHER, new Scope(Set.of("boards"), Set.of("stable")));
    for (String method : new String[] {"GET", "HEAD", "PUT", "DELETE"}) {
      assertThat(AccessRules.allow(caller, method, ARTIFACTS + path)).isEqualTo(isAllowed);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET  | /api/v1/repositories                    | DEVICE    | reader or higher; yours is device",
        "PUT  | /api/v1/repositories/boards/artifacts/x | READER    | publisher or higher; yours is reader",
        "POST | /api/v1/links                           | DEVICE    | publisher or higher; yours is device",
        "POST | /api/v1/repositories                    | PUBLISHER | role admin; yours is publisher",
        "GET  | /anything/new                           | READER    | role admin; yours is reader",
        "GET  | /api/v1/repositories/other              | READER    | scope",
        "PUT  | /api/v1/repositories/other/artifacts/x  | PUBLISHER | scope",
      })
  void aRefusalSaysWhatIsLacking(String method, String path, Role role, String lacking) {
    Caller caller = caller(role, Scope.of(Set.of("boards")));
    assertThat(AccessRules.allow(caller, method, path)).isFalse();
    assertThat(AccessRules.refusal(caller, method, path)).contains(lacking).endsWith(".");
  }

  @Test
  void aScopeHoldsForRepositories() {
    Caller caller = caller(Role.READER, Scope.of(Set.of("boards")));
    assertThat(AccessRules.allow(caller, "GET", "/api/v1/repositories/b%6Fards")).isTrue();
    for (String other : new String[] {"other", "boards;x=1", "boards%2Fx", "%"}) {
      String address = "/api/v1/repositories/" + other;
      assertThat(AccessRules.allow(caller, "GET", address)).isFalse();
      assertThat(AccessRules.allow(caller, "GET", address + "/artifacts")).isFalse();
      assertThat(AccessRules.allow(caller, "GET", address + "/artifacts/x")).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "stable,    true",
    "stabl%65,  true",
    "stable2,   false",
    "@stable,   false",
    "beta,      false",
    "stable%2F, false",
  })
  void aScopeNamesAChannelByItsAddress(String channel, boolean isAllowed) {
    Caller caller = caller(Role.PUBLISHER, new Scope(Set.of("boards"), Set.of("@stable", "1.2")));
    String address = "/api/v1/repositories/boards/channels/" + channel;
    assertThat(AccessRules.allow(caller, "PUT", address)).isEqualTo(isAllowed);
    assertThat(AccessRules.allow(caller, "DELETE", address)).isEqualTo(isAllowed);
    assertThat(AccessRules.allow(caller, "POST", address + "/rollback")).isEqualTo(isAllowed);
    Caller ofArtifacts = caller(Role.PUBLISHER, new Scope(Set.of("boards"), Set.of("1.2")));
    assertThat(AccessRules.allow(ofArtifacts, "PUT", address)).isFalse();
  }

  private static Caller caller(Role role, Scope scope) {
    return new Caller("id", "name", role, scope);
  }
}
