package io.artifactserver.rest.delivery.address;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Addresses for devices that hawkBit manages. Immutable.
 *
 * @param tenants repository of each tenant's artifacts, by the tenant's name in any case; none by
 *     default, and then no hawkBit address is served
 * @param path where an artifact of a software module lies in the repository: a template of {@code
 *     {softwareModuleId}} and {@code {fileName}}; change it to {@code {fileName}} if the file names
 *     are unique
 */
@ConfigurationProperties("artifact-server.hawkbit")
public record HawkbitProperties(
    @DefaultValue Map<String, String> tenants,
    @DefaultValue("{softwareModuleId}/{fileName}") String path) {
  public HawkbitProperties {
    Map<String, String> byUpperCase = new HashMap<>();
    tenants.forEach(
        (tenant, repository) -> byUpperCase.put(tenant.toUpperCase(Locale.ROOT), repository));
    tenants = Map.copyOf(byUpperCase);
    Assert.isTrue(
        path.contains("{fileName}"),
        "artifact-server.hawkbit.path is a template with {fileName}, not \"" + path + '"');
  }

  /** The repository of a tenant, if it has one. */
  Optional<String> repository(String tenant) {
    return Optional.ofNullable(tenants.get(tenant.toUpperCase(Locale.ROOT)));
  }

  /** Where a module's artifact lies in the repository. */
  String path(String softwareModuleId, String fileName) {
    return path.replace("{softwareModuleId}", softwareModuleId).replace("{fileName}", fileName);
  }
}
