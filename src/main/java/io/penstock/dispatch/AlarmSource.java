package io.penstock.dispatch;

import io.penstock.time.StepAlarm;

/** Creates the alarms that run the steps of endpoints. */
@FunctionalInterface
public interface AlarmSource {
  /** Returns an alarm for one more endpoint with that algorithm. */
  StepAlarm alarm(LimitAlgorithm limitAlgorithm);
}
