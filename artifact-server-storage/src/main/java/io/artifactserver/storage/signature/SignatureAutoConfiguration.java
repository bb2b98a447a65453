package io.artifactserver.storage.signature;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/** Wires the verification of signatures. */
@AutoConfiguration
@Import(BouncyCastleVerifier.class)
public class SignatureAutoConfiguration {}
