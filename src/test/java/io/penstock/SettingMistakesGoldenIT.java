package io.penstock;

import io.penstock.fake.GoldenRecords;
import io.penstock.fake.RefusedStart;
import io.penstock.settings.CannotStart;
import io.penstock.settings.SettingsCheck;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;

/**
 * Compares the answers to mistakes of new users with a record that can be read from top to bottom:
 * what was typed, and what was answered.
 */
@Tag(GoldenRecords.TAG)
class SettingMistakesGoldenIT {
  private static final String COMMAND = "penstock serve";

  @TempDir private Path directory;
  private final StringBuilder record = new StringBuilder();
  private final Map<String, String> stable = new TreeMap<>();

  @BeforeEach
  void nameDirectory() {
    stable.put(directory + "/", "./");
  }

  private void write(String text) {
    String shown = text;
    for (Map.Entry<String, String> each : stable.entrySet()) {
      shown = shown.replace(each.getKey(), each.getValue());
    }
    record.append(shown);
  }

  /** Records what the check of the settings answers. */
  private void checked(String mistake, Map<String, Object> variables, String... arguments) {
    String before = variables.isEmpty() ? "" : variables + " ";
    write("# " + mistake + "\n$ " + before.replaceAll("[{}]", "").replace(", ", " "));
    write(typed(arguments));
    write(answer(environment(variables, arguments)) + "\n");
  }

  private static String typed(String... arguments) {
    List<String> words = new ArrayList<>(List.of(COMMAND));
    for (String each : arguments) {
      words.add(each.contains(" ") ? "'" + each + "'" : each);
    }
    return String.join(" ", words) + "\n";
  }

  private static StandardEnvironment environment(
      Map<String, Object> variables, String... arguments) {
    StandardEnvironment environment = new StandardEnvironment();
    MutablePropertySources sources = environment.getPropertySources();
    String system = StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME;
    sources.replace(system, new MapPropertySource(system, Map.of()));
    String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    sources.replace(name, new SystemEnvironmentPropertySource(name, variables));
    sources.addFirst(new SimpleCommandLinePropertySource(arguments));
    return environment;
  }

  private static String answer(StandardEnvironment environment) {
    ConfigurationPropertySources.attach(environment);
    try {
      StringBuilder warnings = new StringBuilder();
      SettingsCheck.check(environment, Set.of())
          .warnings()
          .forEach(each -> warnings.append("WARN ").append(each).append("\n"));
      return warnings.toString();
    } catch (CannotStart why) {
      return why.getMessage() + "\nexit 2\n";
    }
  }

  /** Records what the check answers to settings in a file. */
  private void inFile(String mistake, String yaml) throws IOException {
    Path file = Files.writeString(directory.resolve("application.yml"), yaml);
    write("# " + mistake + "\n$ cat application.yml\n" + yaml + "$ " + COMMAND + "\n");
    StandardEnvironment environment = environment(Map.of());
    new YamlPropertySourceLoader()
        .load("file", new FileSystemResource(file))
        .forEach(environment.getPropertySources()::addLast);
    write(answer(environment) + "\n");
  }

  /** Records what the whole program answers. */
  private void started(String mistake, String... arguments) throws IOException {
    Path routes = Files.writeString(directory.resolve("routes.yaml"), "endpoints: [{path: /a}]\n");
    RefusedStart refused = RefusedStart.of(routes, arguments);
    write(
        "# "
            + mistake
            + "\n$ "
            + typed(arguments)
            + refused.error()
            + "exit "
            + refused.exit()
            + "\n\n");
  }

  private void arguments() {
    Map<String, Object> none = Map.of();
    checked("A name is misspelt", none, "--penstock.keys.stor=file:keys.db");
    checked("A name is invented", none, "--penstock.cache=on");
    checked("A duration is written in words", none, "--penstock.drain-timeout=30 seconds");
    checked("A switch is answered with yes", none, "--penstock.keys.required=yes");
    checked("A choice does not exist", none, "--penstock.log.format=xml");
    checked("An address has no scheme", none, "--penstock.redis.url=localhost:6379");
    checked(
        "An address has another scheme, and a password that nobody should read",
        none,
        "--penstock.database.url=jdbc:mariadb://root:hunter2@db/penstock");
    checked(
        "Several values are wrong at once",
        none,
        "--penstock.max-buffered-bytes=1GiB",
        "--penstock.log.access=10%",
        "--penstock.redis.sharing=all",
        "--penstock.usage.rows-per-day=-1");
    checked("An origin has a path", none, "--penstock.allowed-origins=https://app.example/");
    checked("A host has a port", none, "--penstock.allowed-hosts=llm.example:8080");
    checked("Keys are stored nowhere in particular", none, "--penstock.keys.store=keys.db");
    checked("A region has no database", none, "--penstock.region.name=east");
    checked(
        "A certificate is in no file",
        none,
        "--penstock.redis.url=redis://cache",
        "--penstock.redis.tls.ca=/none.pem");
    checked(
        "A lease is too short",
        none,
        "--penstock.redis.url=redis://cache",
        "--penstock.redis.lease=200ms");
    checked(
        "Settings are those of an earlier version",
        none,
        "--penstock.redis.url=redis://cache",
        "--penstock.redis.on-outage=share",
        "--penstock.redis.slice-ttl=2s");
    checked("A port does not exist", none, "--server.port=80800");
  }

  private void variables() {
    checked("A variable is misspelt", Map.of("PENSTOCK_KEYS_STOR", "sql"));
    checked("A variable has a wrong value", Map.of("PENSTOCK_DRAIN_TIMEOUT", "forever"));
    checked("A variable means nothing", Map.of("PENSTOCK_TEAM", "blue"));
    checked(
        "The namespace is in a variable of another product",
        new TreeMap<>(
            Map.of("PENSTOCK_REDIS_URL", "redis://cache", "REDIS_NAMESPACE", "production")));
    checked(
        "The variable that has the namespace is not set",
        new TreeMap<>(
            Map.of(
                "PENSTOCK_REDIS_NAMESPACE_FROM", "STAGE", "PENSTOCK_REDIS_URL", "redis://cache")));
    checked("Redis is configured as for Spring Boot", Map.of("SPRING_DATA_REDIS_HOST", "cache"));
  }

  private void files() throws IOException {
    inFile("A name is cut in two", "penstock:\n  drain:\n    timeout: 30s\n");
    inFile("A variable is not set", "penstock:\n  redis:\n    url: ${CACHE_URL}\n");
    inFile(
        "Routes are written as for Spring Cloud Gateway",
        """
        spring.cloud.gateway.server.webflux:
          routes:
          - {id: openai, uri: "https://api.openai.com"}
          httpclient:
            connect-timeout: 2000
        """);
    inFile(
        "Proxies are trusted by an old name",
        "spring.cloud.gateway.trusted-proxies: 10\\\\..*\n".replace("\\\\", "\\"));
  }

  private void starts() throws IOException {
    started("A configuration file is named as for other products", "--config=litellm.yaml");
    started("The same with a short option", "-c", "rls.yml");
    started("An option is misspelt", "--rotes=my-routes");
    started("An option is invented", "--workers=4");
    started("Everybody may use the gateway", "--host=0.0.0.0");
    started(
        "The address is one of another machine",
        "--host=192.0.2.1",
        "--penstock.keys.required=false");
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      stable.put("" + other.getLocalPort(), "8080");
      started("The port is in use", "--port=" + other.getLocalPort());
    }
    started(
        "The certificate does not exist",
        "--port=0",
        "--server.ssl.certificate=file:tls.crt",
        "--server.ssl.certificate-private-key=file:tls.key");
    started("A value of the framework is wrong", "--server.netty.idle-timeout=soon");
    Files.writeString(directory.resolve("application.yml"), "penstock: drain-timeout: 30s\n");
    started(
        "A file of settings is no YAML",
        "--spring.config.additional-location=file:" + directory + "/");
  }

  @Test
  void mistakes_areAnsweredWithWhatToDo() throws IOException {
    arguments();
    variables();
    files();
    starts();
    GoldenRecords.check("command/setting-mistakes.txt", record.toString());
  }
}
