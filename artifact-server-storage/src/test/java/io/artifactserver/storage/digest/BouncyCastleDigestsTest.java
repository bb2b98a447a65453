package io.artifactserver.storage.digest;

import io.artifactserver.core.digest.SavableDigests;

class BouncyCastleDigestsTest extends SavableDigestsContract {
  @Override
  SavableDigests digests() {
    return new BouncyCastleDigests();
  }
}
