# Build: Maven runs on the image's JDK 25, whatever Java the distribution's package brings along.
FROM eclipse-temurin:25-jdk AS build
# Slim images lack the folder that the Java package's alternatives link into.
RUN mkdir -p /usr/share/man/man1 \
 && apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends maven >/dev/null \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build

# The POMs alone come first: this layer holds the dependencies, and is built anew only when a POM
# changes. settings.xml is optional (docs/operations.md): for a network that reaches Maven Central
# through a mirror of its own.
COPY .mvn .mvn
COPY pom.xml settings.xm[l] ./
COPY artifact-server-core/pom.xml artifact-server-core/
COPY artifact-server-storage/pom.xml artifact-server-storage/
COPY artifact-server-rest/pom.xml artifact-server-rest/
COPY benchmarks/pom.xml benchmarks/
RUN if [ -e settings.xml ]; then mkdir -p ~/.m2 && mv settings.xml ~/.m2/; fi \
 && mvn -B -q -pl artifact-server-rest -DskipTests -Dchecks.skip -Dspotless.check.skip package

COPY artifact-server-core/src artifact-server-core/src
COPY artifact-server-storage/src artifact-server-storage/src
COPY artifact-server-rest/src artifact-server-rest/src
# The checks and tests are the business of "mvn verify", not of an image.
RUN mvn -B -q -pl artifact-server-rest -DskipTests -Dchecks.skip -Dspotless.check.skip package \
 && cp artifact-server-rest/target/*-server.jar artifact-server.jar \
 && java -Djarmode=tools -jar artifact-server.jar extract --layers --destination layers

FROM eclipse-temurin:25-jre AS server
# The embedded PostgreSQL asks for its user's name, so the user needs an entry.
RUN groupadd --gid 10001 artifact-server \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data \
      --shell /usr/sbin/nologin artifact-server \
 && install -d -o 10001 -g 10001 -m 0700 /data
WORKDIR /opt/artifact-server
COPY --from=build /build/layers/dependencies/ ./
COPY --from=build /build/layers/snapshot-dependencies/ ./
COPY --from=build /build/layers/application/ ./
COPY artifact-server-rest/src/main/launcher/ ./
RUN ln -s "$PWD/artifact-server" /usr/local/bin/artifact-server

# Starts the server once, with its embedded PostgreSQL, and records the classes. By the same Java and
# on the same jars as below, or the virtual machine would not take the record.
FROM server AS record
USER 10001:10001
RUN mkdir /tmp/record \
 && { bash record-start /tmp/record/artifact-server.aot /tmp/log java "@$PWD/jvm-options" -jar "$PWD/artifact-server.jar" \
      || { cat /tmp/log && exit 1; }; }

FROM server
COPY --from=record /tmp/record/ ./
ENV ARTIFACTSERVER_DATADIR=/data
VOLUME /data
EXPOSE 8080
USER 10001:10001
# bash is in every image of this base, curl is not. The port is the one that Spring Boot reads.
HEALTHCHECK --interval=10s --timeout=6s --start-period=120s --retries=3 CMD ["bash", "-c", \
  "exec 3<>\"/dev/tcp/127.0.0.1/${MANAGEMENT_SERVER_PORT:-${SERVER_PORT:-8080}}\" && printf 'GET /actuator/health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -t 5 _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["artifact-server"]
