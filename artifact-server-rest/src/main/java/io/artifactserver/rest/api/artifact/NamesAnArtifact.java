package io.artifactserver.rest.api.artifact;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Schema;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes the path's parameters, which {@link ArtifactIdResolver} reads, in the API document. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Parameter(
    name = "repository",
    in = ParameterIn.PATH,
    required = true,
    schema = @Schema(type = "string"))
@Parameter(
    name = "path",
    in = ParameterIn.PATH,
    required = true,
    description = "May have slashes; everything else is percent-encoded UTF-8",
    schema = @Schema(type = "string"))
public @interface NamesAnArtifact {}
