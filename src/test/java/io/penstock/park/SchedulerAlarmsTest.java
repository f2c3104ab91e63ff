package io.penstock.park;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.PatientWaits;
import io.penstock.time.StepAlarm;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class SchedulerAlarmsTest {
  private final FakeTicker ticker = new FakeTicker();
  private final BlockingQueue<String> steps = new LinkedBlockingQueue<>();

  private Runnable step(String name) {
    return () -> steps.add(name);
  }

  private String next() throws InterruptedException {
    return String.valueOf(PatientWaits.take(steps));
  }

  @Test
  void alarm_closed_runsNothing_andLeavesTheThreadToTheOthers() throws Exception {
    try (SchedulerAlarms drivers = new SchedulerAlarms(ticker)) {
      StepAlarm closed = drivers.alarm(LimitAlgorithm.NONE);
      StepAlarm other = drivers.alarm(LimitAlgorithm.NONE);
      closed.at(ticker.nanos() + 1_000_000_000, step("set before"));
      closed.close();
      closed.soon(step("soon"));
      closed.at(ticker.nanos(), step("set after"));
      other.soon(step("first"));
      assertThat(next()).isEqualTo("first");
      other.at(ticker.nanos() + 1_100_000_000, step("second"));
      assertThat(next()).isEqualTo("second");
    }
  }

  @Test
  void alarm_setAgain_runsOnlyTheLastStep() throws Exception {
    try (SchedulerAlarms drivers = new SchedulerAlarms(ticker)) {
      StepAlarm alarm = drivers.alarm(LimitAlgorithm.NONE);
      alarm.at(ticker.nanos() + 100_000_000, step("replaced"));
      alarm.at(ticker.nanos() + 200_000_000, step("last"));
      assertThat(next()).isEqualTo("last");
    }
  }
}
