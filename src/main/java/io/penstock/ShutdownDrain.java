package io.penstock;

import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectReply;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.gateway.identify.ShutdownGate;
import io.penstock.settings.PenstockSettings;
import io.penstock.sharing.SharingView;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Stops the gateway once the requests inside have their answers. Until then both ports answer: the
 * gateway refuses new requests, after a pause in which clients are told to take other connections,
 * and the operator port reports that the gateway is not ready.
 */
final class ShutdownDrain {
  /**
   * The time that each stage takes at most, counted from the beginning.
   *
   * @param pause until new requests are refused, at most {@code parked}
   * @param parked until requests that still wait are refused
   * @param running until answers that still run are broken off
   */
  record Timeouts(Duration pause, Duration parked, Duration running) {
    static Timeouts of(PenstockSettings settings) {
      Duration parked = settings.running().drainTimeout();
      Duration pause = settings.running().drainPause();
      return new Timeouts(
          pause.compareTo(parked) < 0 ? pause : parked,
          parked,
          settings.running().streamDrainTimeout());
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.lifecycle");

  /** Time for sending the refusals of requests that are refused at the very end. */
  private static final Duration REFUSALS = Duration.ofSeconds(1);

  private final ConfigurableApplicationContext context;
  private final Duration start;

  /**
   * Creates the drain of a gateway.
   *
   * @param start how long its start took, after which the next one may serve
   */
  ShutdownDrain(ConfigurableApplicationContext context, Duration start) {
    this.context = context;
    this.start = start;
  }

  /** Waits until all requests have left or the time is up, and closes the gateway. */
  void run() {
    ShutdownGate shutdownGate = context.getBean(ShutdownGate.class);
    Timeouts timeouts = Timeouts.of(context.getBean(PenstockSettings.class));
    AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
    if (context.getBean(SharingView.class).members().getAsLong() == 1) {
      shutdownGate.servesAgainAfter(start);
    }
    if (timeouts.pause().isPositive()) {
      LOG.info("stopping: requests are taken for {} ms still", timeouts.pause().toMillis());
      shutdownGate.closing();
      within(timeouts.pause(), new CompletableFuture<>());
    }
    CompletableFuture<Void> empty = shutdownGate.close();
    LOG.info("stopping: {} requests are inside", shutdownGate.inside());
    if (!within(timeouts.parked().minus(timeouts.pause()), empty)) {
      context.getBean(EndpointRegistry.class).refuseAll(shutdownGate.refusal());
      context
          .getBeanProvider(CoordinationService.class)
          .ifAvailable(
              coordinationService -> coordinationService.dismiss(new ObjectReply.Stopping()));
      Duration rest = timeouts.running().minus(timeouts.parked());
      if (!within(rest.compareTo(REFUSALS) < 0 ? REFUSALS : rest, empty)) {
        LOG.warn("stopping, though {} requests are inside", shutdownGate.inside());
      }
    }
    if (empty.isDone()) {
      LOG.info("stopping: all requests have ended");
    }
    context.getBean(SnapshotSaver.class).close();
    context.close();
  }

  private static boolean within(Duration time, CompletableFuture<Void> empty) {
    try {
      empty.get(time.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("nothing fails there", impossible);
    }
  }
}
