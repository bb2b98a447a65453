package io.artifactserver.rest.console;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.rest.access.AccessRules;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The frame around the content of a page. Immutable.
 *
 * @param title of the page
 * @param assets where styles and scripts are
 * @param visitor who has signed in; empty where nobody has
 * @param changeToken that goes with every change; empty where nobody has signed in
 */
public record Page(
    String title, ConsoleAssets assets, Optional<Caller> visitor, String changeToken) {
  private static final List<Entry> ENTRIES =
      List.of(
          new Entry("Overview", "/console/", Role.ADMIN),
          new Entry("Rollout", "/console/rollout", Role.ADMIN),
          new Entry("Repositories", "/console/repositories", Role.READER),
          new Entry("Tokens", "/console/tokens", Role.ADMIN),
          new Entry("Limits", "/console/limits", Role.ADMIN),
          new Entry("Keys", "/console/keys", Role.ADMIN),
          new Entry("Audit", "/console/audit", Role.ADMIN),
          new Entry("Jobs", "/console/jobs", Role.ADMIN),
          new Entry("Storage", "/console/storage", Role.ADMIN),
          new Entry("Doctor", "/console/doctor", Role.ADMIN));

  /** The pages that the visitor may open, as the navigation lists them. */
  public List<Entry> navigation() {
    return visitor
        .map(caller ->
            ENTRIES.stream().filter(entry -> caller.role().compareTo(entry.least) <= 0).toList())
        .orElse(List.of());
  }

  /** Where a browser finds a file of the console. */
  public String asset(String name) {
    return assets.address(name);
  }

  public boolean isAdmin() {
    return visitor.filter(caller -> caller.role() == Role.ADMIN).isPresent();
  }

  public boolean mayUpload() {
    return visitor.filter(Caller::mayUpload).isPresent();
  }

  /** Whether the visitor may make a request of the API: its own rules decide. */
  public boolean may(String method, String path) {
    return visitor.filter(caller -> AccessRules.allow(caller, method, path)).isPresent();
  }

  /** The visitor's role, as the API names it. */
  public String role() {
    return visitor.map(caller -> caller.role().name().toLowerCase(Locale.ROOT)).orElse("");
  }

  /**
   * A line of the navigation.
   *
   * @param least role that may open the page
   */
  public record Entry(String name, String address, Role least) {
    /** Whether the page, or one below it, has this title. */
    public boolean isOf(Page page) {
      return page.title.equals(name);
    }
  }
}
