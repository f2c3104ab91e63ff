package io.penstock.explain;

import io.penstock.dispatch.TicketRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request that may be held outside of the queue: before it has a ticket, or after its ticket was
 * granted. Safe from any thread.
 *
 * @param origin the sender
 * @param asked what it asks for; a cost is known once its body is read
 * @param sinceNanos when it came to the step that may hold it
 * @param by returns what holds it now, or null when nothing does
 */
public record HeldRequest(
    TicketRequest.Origin origin,
    PastTicket.Asked asked,
    long sinceNanos,
    Supplier<@Nullable BindingLimit> by)
    implements TicketRecord {}
