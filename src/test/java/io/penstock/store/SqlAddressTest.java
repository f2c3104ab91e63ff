package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlAddressTest {
  private static DatabaseAddress server(String url) {
    return ((SqlAddress.Server) SqlAddress.of("sql", url)).address();
  }

  @Test
  void file_isAPath() {
    assertThat(SqlAddress.of("file:keys.db", null))
        .isEqualTo(new SqlAddress.File(Path.of("keys.db")));
    assertThat(SqlAddress.of("file:/a/b c.db", null).shown()).isEqualTo("/a/b c.db");
  }

  @Test
  void urlOfADatabase_isOneForJdbcWithTheUserApart() {
    DatabaseAddress server =
        server("r2dbc:mariadb://us%40er:p%3Ass+w%2Fd@db.example:3307/keys?sslMode=trust");
    assertThat(server.url()).isEqualTo("jdbc:mariadb://db.example:3307/keys?sslMode=trust");
    assertThat(server.properties(Duration.ofSeconds(5), Duration.ofSeconds(10)))
        .containsEntry("user", "us@er")
        .containsEntry("password", "p:ss+w/d")
        .containsEntry("connectTimeout", "5000")
        .containsEntry("socketTimeout", "10000");
    assertThat(new SqlAddress.Server(server).shown()).isEqualTo("db.example:3307/keys");
    assertThat(server.toString()).isEqualTo("db.example:3307/keys");
    assertThat(server("r2dbc:mysql://h/d").url()).isEqualTo("jdbc:mariadb://h/d");
  }

  @ParameterizedTest
  @CsvSource({
    "memory,",
    "file:,",
    "FILE:x,",
    "sql,",
    "sql,' '",
    "sql,jdbc:mariadb://u:hunter2@h/d",
    "sql,r2dbc:postgresql://u:hunter2@h/d",
    "sql,r2dbc:mariadb://u:hunter2@h",
    "sql,r2dbc:mariadb://u:hunter2@h/",
    "sql,r2dbc:mariadb:///d",
    "sql,r2dbc:mariadb:hunter2",
    "sql,r2dbc:mariadb://u:hun%2@h/d",
    "sql,'r2dbc:mariadb://u:hunter2@h/d d'"
  })
  void anythingElse_isUnusableAndItsPasswordIsNotSaid(String store, @Nullable String url) {
    assertThatThrownBy(() -> SqlAddress.of(store, url))
        .isInstanceOf(UnusableStore.class)
        .hasMessageContaining("expected")
        .hasMessageNotContaining("hun")
        .hasNoCause();
  }
}
