package io.penstock.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * A coding agent, how it is installed, and how it is started. A started one asks a gateway once
 * about nothing and ends. Only a tool that reads is offered to the model.
 */
enum CodingAgent {
  CLAUDE_CODE("anthropic", "@anthropic-ai/claude-code", "2.1.197") {
    @Override
    Launch launch(Path home, String base, String key) {
      return new Launch(
          List.of(
              "node",
              module("@anthropic-ai/claude-code/cli-wrapper.cjs"),
              "--print",
              "--tools=Read",
              "--model=claude-sonnet-4-5",
              PROMPT),
          Map.of(
              "ANTHROPIC_BASE_URL", base,
              "ANTHROPIC_AUTH_TOKEN", key,
              "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
              "DISABLE_AUTOUPDATER", "1",
              "DISABLE_ERROR_REPORTING", "1",
              "DISABLE_TELEMETRY", "1"));
    }
  },

  CODEX("openai", "@openai/codex", "0.171.0") {
    @Override
    Launch launch(Path home, String base, String key) throws IOException {
      write(
          home.resolve(".codex").resolve("config.toml"),
          """
          model_provider = "penstock"
          %s
          [model_providers.penstock]
          name = "Penstock"
          base_url = "%s/v1"
          env_key = "PENSTOCK_KEY"
          wire_api = "responses"
          """
              .formatted(CODEX_SETTINGS, base));
      return new Launch(codex(), Map.of("PENSTOCK_KEY", key));
    }
  },

  GEMINI_CLI("gemini", "@google/gemini-cli", "0.61.0") {
    @Override
    Launch launch(Path home, String base, String key) throws IOException {
      write(
          home.resolve(".gemini").resolve("settings.json"),
          """
          {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
            "tools": {"core": ["list_directory"]}
          }
          """);
      return new Launch(
          List.of(
              "node",
              module("@google/gemini-cli/bundle/gemini.js"),
              "--model=gemini-2.5-flash",
              "--prompt=" + PROMPT),
          Map.of(
              "GOOGLE_GEMINI_BASE_URL", base,
              "GEMINI_API_KEY", key,
              "GEMINI_CLI_TRUST_WORKSPACE", "true"));
    }
  },

  OPENCODE("anthropic", "opencode-ai", "1.18.33") {
    @Override
    Launch launch(Path home, String base, String key) throws IOException {
      write(
          home.resolve("work").resolve("opencode.json"),
          """
          {
            "autoupdate": false,
            "share": "disabled",
            "permission": {"*": "deny", "read": "allow"},
            "tools": {"*": false, "read": true},
            "provider": {
              "anthropic": {"options": {"baseURL": "%s/v1", "apiKey": "{env:PENSTOCK_KEY}"}}
            }
          }
          """
              .formatted(base));
      return new Launch(
          List.of(binary(), "run", "--model=anthropic/claude-sonnet-4-5", PROMPT),
          Map.of(
              "PENSTOCK_KEY", key,
              "OPENCODE_DISABLE_AUTOUPDATE", "1",
              "OPENCODE_DISABLE_DEFAULT_PLUGINS", "1",
              "OPENCODE_DISABLE_LSP_DOWNLOAD", "1",
              "OPENCODE_DISABLE_MODELS_FETCH", "1"));
    }

    // the program for this machine; of two, the one for older processors
    private String binary() throws IOException {
      try (Stream<Path> packages = Files.list(home().resolve("node_modules"))) {
        return packages
            .map(each -> each.resolve("bin").resolve("opencode"))
            .filter(Files::exists)
            .max(Path::compareTo)
            .orElseThrow()
            .toAbsolutePath()
            .toString();
      }
    }
  },

  AIDER("openai", "aider-chat", "0.86.2") {
    @Override
    void packages() throws IOException {
      PythonScripts.installed(Path.of("src", "test", "agents"), home());
    }

    @Override
    Launch launch(Path home, String base, String key) {
      return new Launch(
          List.of(
              new PythonScripts(home(), home()).program("aider"),
              "--model=openai/gpt-4o-mini",
              "--analytics-disable",
              "--no-check-update",
              "--no-detect-urls",
              "--no-git",
              "--no-show-model-warnings",
              "--no-show-release-notes",
              "--no-suggest-shell-commands",
              "--yes-always",
              "--message=" + PROMPT),
          Map.of("OPENAI_API_BASE", base + "/v1", "OPENAI_API_KEY", key, "PYTHONUNBUFFERED", "1"));
    }
  },

  QWEN_CODE("openai", "@qwen-code/qwen-code", "0.15.10") {
    @Override
    Launch launch(Path home, String base, String key) throws IOException {
      write(
          home.resolve(".qwen").resolve("settings.json"),
          """
          {
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "general": {"disableAutoUpdate": true, "disableUpdateNag": true},
            "tools": {"core": ["list_directory"]}
          }
          """);
      return new Launch(
          List.of(
              "node",
              module("@qwen-code/qwen-code/cli.js"),
              "--auth-type=openai",
              "--prompt=" + PROMPT),
          Map.of(
              "OPENAI_BASE_URL", base + "/v1",
              "OPENAI_API_KEY", key,
              "OPENAI_MODEL", "gpt-4o-mini",
              "HTTP_PROXY", "", // it ignores NO_PROXY
              "HTTPS_PROXY", ""));
    }
  };

  /** How an agent is started: a command, and the variables that are its own. */
  record Launch(List<String> command, Map<String, String> variables) {}

  private static final String PROMPT = "Say hello.";

  private static final String CODEX_SETTINGS =
      """
      check_for_update_on_startup = false
      features = {shell_tool = false, unified_exec = false}
      analytics = {enabled = false}\
      """;

  private static final Path INSTALLED = Path.of("target", "agents");
  private static final Pattern UNDERSCORE = Pattern.compile("_");

  /** An address at which nobody listens: only what is on this machine is reached. */
  private static final String NOWHERE = "http://127.0.0.1:9";

  private final String dialect;
  private final String name;
  private final String version;

  CodingAgent(String dialect, String name, String version) {
    this.dialect = dialect;
    this.name = name;
    this.version = version;
  }

  /** Returns the command of this agent for a gateway, and writes the files that it reads. */
  abstract Launch launch(Path home, String base, String key) throws IOException;

  /** Returns the dialect that it speaks. */
  String dialect() {
    return dialect;
  }

  /** Returns its name in addresses and in what is printed. */
  String id() {
    return UNDERSCORE.matcher(name()).replaceAll("-").toLowerCase(Locale.ROOT);
  }

  /** Returns its name and version. */
  String title() {
    return id() + " " + version;
  }

  /** Returns where it is installed. */
  Path home() {
    return INSTALLED.resolve(id());
  }

  String module(String file) {
    return home().resolve("node_modules").resolve(file).toAbsolutePath().toString();
  }

  /** Installs it, unless it is there; skips the test where that is impossible. */
  void packages() throws IOException {
    write(
        home().resolve("package.json"),
        "{\"private\": true, \"dependencies\": {\"%s\": \"%s\"}}%n".formatted(name, version));
    NodeScripts.install(home());
  }

  /** Installs it; returns why that is impossible, or nothing. */
  String missing() throws IOException {
    try {
      packages();
      return "";
    } catch (TestAbortedException impossible) {
      return String.valueOf(impossible.getMessage());
    }
  }

  /** Starts it in a directory where it finds no settings but those of this test. */
  ClientProcess start(Path home, String base, String key) throws IOException {
    return start(home, launch(home, base, key));
  }

  /** Starts Codex with the provider that it has built in, which speaks WebSocket. */
  static ClientProcess startCodexOverWebSocket(Path home, String base, String key)
      throws IOException {
    write(
        home.resolve(".codex").resolve("config.toml"),
        """
        openai_base_url = "%s/v1"
        %s
        """
            .formatted(base, CODEX_SETTINGS));
    return start(home, new Launch(codex(), Map.of("CODEX_API_KEY", key)));
  }

  private static List<String> codex() {
    return List.of(
        "node",
        CODEX.module("@openai/codex/bin/codex.js"),
        "exec",
        "--skip-git-repo-check",
        "--sandbox=read-only",
        "--model=gpt-5",
        PROMPT);
  }

  private static ClientProcess start(Path home, Launch launch) throws IOException {
    Path work = Files.createDirectories(home.resolve("work"));
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("PATH", System.getenv("PATH"));
    environment.put("HOME", home.toString());
    environment.put("TMPDIR", home.toString());
    for (String kind : List.of("CONFIG", "DATA", "CACHE", "STATE")) {
      environment.put("XDG_" + kind + "_HOME", home.resolve(kind).toString());
    }
    environment.put("LANG", "C.UTF-8");
    environment.put("TERM", "dumb");
    environment.put("NO_COLOR", "1");
    environment.put("HTTP_PROXY", NOWHERE);
    environment.put("HTTPS_PROXY", NOWHERE);
    environment.put("NO_PROXY", "127.0.0.1,localhost");
    environment.putAll(launch.variables());
    return ClientProcess.start(work, environment, launch.command());
  }

  static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text, UTF_8);
  }
}
