# To be sourced: run CLASS ARGUMENT... starts a class of benchmarks.jar with a Java 25.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jar="$here/target/benchmarks.jar"

run() {
  local java candidate
  if [ ! -f "$jar" ]; then
    printf '%s is missing: build it with mvn -pl benchmarks -DskipTests package\n' "$jar" >&2
    exit 2
  fi
  for candidate in "${JAVA_HOME:-/nonexistent}" /usr/lib/jvm/*25* /opt/java/*25* /opt/*25*; do
    if "$candidate/bin/java" -version 2>&1 | grep -q 'version "25'; then
      java=$candidate/bin/java
      break
    fi
  done
  exec "${java:-java}" --enable-native-access=ALL-UNNAMED -cp "$jar" "$@"
}
