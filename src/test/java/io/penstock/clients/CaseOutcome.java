package io.penstock.clients;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The outcome of a case that a script ran with a provider's own client.
 *
 * @param name the case, as it was asked for
 * @param ok whether it passed
 * @param detail what it saw, or why it failed
 */
record CaseOutcome(String name, boolean ok, String detail) {
  void assertPassed() {
    assertThat(ok).as("%s: %s", name, detail).isTrue();
  }
}
