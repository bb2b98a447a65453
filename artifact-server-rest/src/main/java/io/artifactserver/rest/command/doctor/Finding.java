package io.artifactserver.rest.command.doctor;

/**
 * One line of the report.
 *
 * @param name of the setting or thing, stable for scripts
 * @param value as it was found
 * @param meaning the consequence of the value
 * @param fix commands that change it, ready to be pasted; empty if nothing is to be done
 */
record Finding(String name, String value, Verdict verdict, String meaning, String fix) {
  static Finding ok(String name, String value, String meaning) {
    return new Finding(name, value, Verdict.OK, meaning, "");
  }

  static Finding warn(String name, String value, String meaning, String fix) {
    return new Finding(name, value, Verdict.WARN, meaning, fix);
  }

  static Finding fail(String name, String value, String meaning, String fix) {
    return new Finding(name, value, Verdict.FAIL, meaning, fix);
  }
}
