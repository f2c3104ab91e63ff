package io.penstock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.redisson.Redisson;
import org.redisson.api.RTopic;
import org.redisson.api.listener.StatusListener;
import org.redisson.client.codec.StringCodec;

/** Subscription to a channel. Redisson renews it by itself. */
final class RedisChannel {
  private RedisChannel() {}

  /** Subscribes as described for {@link RedisLink#listen}. */
  static CompletableFuture<Integer> listen(
      Redisson client, String channel, Consumer<String> messageListener, Runnable subscribed) {
    RTopic topic = client.getTopic(channel, StringCodec.INSTANCE);
    return topic
        .addListenerAsync(new Subscription(subscribed))
        .toCompletableFuture()
        .thenCompose(
            first ->
                topic
                    .addListenerAsync(
                        String.class, (of, message) -> messageListener.accept(message))
                    .toCompletableFuture());
  }

  private record Subscription(Runnable begun) implements StatusListener {
    @Override
    public void onSubscribe(String channel) {
      begun.run();
    }

    @Override
    public void onUnsubscribe(String channel) {
      // missing heartbeats on the own channel show this
    }
  }
}
