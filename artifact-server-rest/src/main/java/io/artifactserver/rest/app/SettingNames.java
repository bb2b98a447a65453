package io.artifactserver.rest.app;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/** The names of the settings below {@code artifact-server}. Used by one thread. */
final class SettingNames {
  static final String ROOT = "artifact-server";

  /** In every spelling that Spring Boot may read as being below the root. */
  private static final Pattern BELOW_ROOT =
      Pattern.compile("artifact[-_]?server[._].+", Pattern.CASE_INSENSITIVE);

  /** Kubernetes tells every container the address of a service named {@code artifact-server}. */
  private static final Pattern SERVICE_LINK =
      Pattern.compile(
          "ARTIFACT_SERVER_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\\d+_(TCP|UDP|SCTP)(_.+)?)");

  private static final String SERVICE_PORT = "ARTIFACT_SERVER_PORT";

  /** {@code push} and {@code pull} read these, perhaps on the machine of a server. */
  private static final Set<String> OF_CLIENTS =
      Set.of("ARTIFACT_SERVER_URL", "ARTIFACT_SERVER_TOKEN");

  private final Set<String> names = new TreeSet<>();
  private final Map<String, String> retired = new TreeMap<>();
  private final Set<String> open = new TreeSet<>();

  /** Adds one name, such as {@code artifact-server.data-dir}. */
  void add(String name) {
    names.add(name);
  }

  /**
   * Adds the names of a record's components, and of the records in it. Below a map or a collection
   * every name is known.
   *
   * @param properties a record, as every room's properties are
   */
  void addAll(String prefix, Class<?> properties) {
    if (!properties.isRecord()) {
      throw new IllegalArgumentException(
          "The settings below %s are no record, but %s".formatted(prefix, properties));
    }
    for (RecordComponent component : properties.getRecordComponents()) {
      String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
      Class<?> type = component.getType();
      if (type.isRecord()) {
        addAll(name, type);
      } else {
        names.add(name);
        if (type.isArray()
            || Map.class.isAssignableFrom(type)
            || Collection.class.isAssignableFrom(type)) {
          open.add(name);
        }
      }
    }
  }

  /**
   * Adds a name that was a setting's once and must not be set any more.
   *
   * @param remedy advice: the rest of a sentence that begins with the name
   */
  void retire(String name, String remedy) {
    retired.put(uniform(name), remedy);
  }

  /** Names below the root that no setting takes. Says nothing of their values. */
  List<UnknownSetting> unknownIn(Iterable<PropertySource<?>> sources) {
    List<UnknownSetting> unknown = new ArrayList<>();
    for (PropertySource<?> source : sources) {
      if (source instanceof EnumerablePropertySource<?> enumerable) {
        Set<String> taken = takenFrom(source);
        for (String name : enumerable.getPropertyNames()) {
          if (BELOW_ROOT.matcher(name).matches()
              && !taken.contains(name)
              && !OF_CLIENTS.contains(name)
              && !isOpen(name)
              && !isServiceLink(name, enumerable)) {
            String origin = String.valueOf(PropertySourceOrigin.get(source, name));
            unknown.add(new UnknownSetting(name, origin, remedy(name)));
          }
        }
      }
    }
    return unknown;
  }

  /**
   * The names, as the source spells them, that are read as a setting. Spring Boot is asked, because
   * the spellings that it reads differ from source to source.
   */
  private Set<String> takenFrom(PropertySource<?> source) {
    Set<String> taken = new HashSet<>();
    ConfigurationPropertySource settings = ConfigurationPropertySource.from(source);
    if (settings != null) {
      for (String name : names) {
        ConfigurationProperty property =
            settings.getConfigurationProperty(ConfigurationPropertyName.of(name));
        if (property != null && property.getOrigin() instanceof PropertySourceOrigin origin) {
          taken.add(origin.getPropertyName());
        }
      }
    }
    return taken;
  }

  private boolean isOpen(String name) {
    return open.stream().anyMatch(parent -> uniform(name).startsWith(uniform(parent)));
  }

  private static boolean isServiceLink(String name, PropertySource<?> source) {
    return SERVICE_LINK.matcher(name).matches()
        || (name.equals(SERVICE_PORT)
            && String.valueOf(source.getProperty(name)).matches("[a-z]+://.*"));
  }

  private String remedy(String name) {
    String known = retired.get(uniform(name));
    return known == null
        ? "is not a setting, or has no effect beside the others. Did you mean %s?"
            .formatted(nearest(name))
        : known;
  }

  /** The known name that takes the fewest changes, spelt as a variable if the other is one. */
  private String nearest(String name) {
    String uniform = uniform(name);
    String nearest =
        names.stream()
            .min(Comparator.comparingInt(known -> distance(uniform, uniform(known))))
            .orElse(ROOT);
    return name.indexOf('.') >= 0
        ? nearest
        : nearest.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  private static String uniform(String name) {
    return name.replaceAll("[-_.]", "").toLowerCase(Locale.ROOT);
  }

  /** Levenshtein's distance: characters to insert, delete or replace. */
  private static int distance(String left, String right) {
    int[] above = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int[] row = new int[right.length() + 1];
      row[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int replaced = above[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
      }
      above = row;
    }
    return above[right.length()];
  }

  /**
   * A name below the root that is no setting's.
   *
   * @param name as its source spells it
   * @param origin where it came from
   * @param remedy the fault, and advice: the rest of a sentence that begins with the name
   */
  record UnknownSetting(String name, String origin, String remedy) {}
}
