package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.rest.http.RequestPath;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * A device's request to be granted the artifacts of a software module. Immutable.
 *
 * @param tenant as the device spells it
 * @param controllerId the device, decoded
 * @param softwareModuleId a number
 * @param authorization the device's own field; a secret
 */
public record Question(
    String tenant, String controllerId, String softwareModuleId, String authorization) {
  private static final String GATEWAY = "GatewayToken ";
  private static final int MAX_CONTROLLER_ID = 256;
  private static final int MAX_MODULE_DIGITS = 18;
  private static final int MAX_AUTHORIZATION = 1024;

  /** The secret is left out. */
  @Override
  public String toString() {
    return "%s of tenant %s, module %s".formatted(controllerId, tenant, softwareModuleId);
  }

  /**
   * A question that hawkBit can answer.
   *
   * @return empty if the answer is known to be that the token is not good: there is none, or it is
   *     no device's. Nothing else than devices' tokens is ever passed on.
   */
  public static Optional<Question> of(
      String tenant, String controllerId, String softwareModuleId, String authorization) {
    boolean isOfDevice =
        authorization.startsWith("TargetToken ") || authorization.startsWith(GATEWAY);
    return isOfDevice && authorization.length() <= MAX_AUTHORIZATION && isPrintable(authorization)
        ? Optional.of(new Question(tenant, controllerId, softwareModuleId, authorization))
        : Optional.empty();
  }

  /** Whether decoded parts of a path can name a tenant, one of its devices, and a module. */
  public static boolean canName(String tenant, String controllerId, String softwareModuleId) {
    return GrantedArtifact.isTenant(tenant)
        && !controllerId.isEmpty()
        && controllerId.length() <= MAX_CONTROLLER_ID
        && !controllerId.equals(".")
        && !controllerId.equals("..")
        && controllerId.indexOf('/') < 0
        && controllerId.chars().noneMatch(Character::isISOControl)
        && !softwareModuleId.isEmpty()
        && softwareModuleId.length() <= MAX_MODULE_DIGITS
        && softwareModuleId.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** The path of hawkBit's resource with the module's artifacts. */
  String path() {
    return devicePath() + "/softwaremodules/" + softwareModuleId + "/artifacts";
  }

  /** The path of hawkBit's resource of the device. */
  String devicePath() {
    return '/' + tenant + "/controller/v1/" + RequestPath.encode(controllerId);
  }

  /** Names the question for ever, and does not give the secret away. */
  Key key() {
    MessageDigest sha256 = DigestAlgorithm.SHA_256.newMessageDigest();
    for (String part : new String[] {tenant, controllerId, softwareModuleId}) {
      sha256.update(part.getBytes(StandardCharsets.UTF_8));
      // In none of the parts.
      sha256.update((byte) 0);
    }
    sha256.update(authorization.getBytes(StandardCharsets.UTF_8));
    ByteBuffer value = ByteBuffer.wrap(sha256.digest());
    return new Key(value.getLong(), value.getLong(), value.getLong(), value.getLong());
  }

  /**
   * Returns 64 bits that name the device and its token, whatever module it asks about. All devices
   * of a tenant that use its gateway token are one.
   */
  long device() {
    String device = isOfGateway() ? "" : controllerId;
    return new Question(tenant, device, "", authorization).key().first;
  }

  /** Whether the token is the one that all devices of the tenant may use. */
  boolean isOfGateway() {
    return authorization.startsWith(GATEWAY);
  }

  private static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c >= ' ' && c <= '~');
  }

  /** The SHA-256 of a question. */
  record Key(long first, long second, long third, long fourth) {}
}
