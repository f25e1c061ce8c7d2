package io.dht4j.testkit.network;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A transport that injects faults into its calls, by recipient: it drops, delays, repeats or refuses requests, loses
 * replies, or reports failures of executed requests. Its behaviour stays within the contract of {@link Transport}.
 * Faults apply to calls that begin after they were set. Faults of calls to this node are set at the peers' transports.
 * Works under virtual time. As safe for several threads as the environment.
 */
public final class FaultyTransport extends ForwardingTransport {

    private static final Supplier<Fault> HEALTHY = Fault::none;

    private final Environment environment;
    private final Map<NodeId, Supplier<Fault>> links = new ConcurrentHashMap<>();
    /** Unanswered calls in the order in which they began; guarded by itself. */
    private final Map<Long, CompletableFuture<byte[]>> open = new LinkedHashMap<>();

    private final AtomicLong calls = new AtomicLong();
    private volatile Supplier<Fault> otherLinks = HEALTHY;
    private volatile boolean closed;

    /**
     * Creates a transport without faults.
     *
     * @param transport the underlying transport; owned and closed by this one
     * @param environment clock and timers; not closed
     */
    public FaultyTransport(Transport transport, Environment environment) {
        super(transport);
        this.environment = environment;
    }

    /**
     * Sets the fault of every call to a node.
     *
     * @param to the node that is called
     * @param fault the fault of every call
     */
    public void toward(NodeId to, Fault fault) {
        toward(to, () -> fault);
    }

    /**
     * Sets the faults of the calls to a node.
     *
     * @param to the node that is called
     * @param faults supplies the fault of each call
     */
    public void toward(NodeId to, Supplier<Fault> faults) {
        links.put(to, faults);
    }

    /**
     * Sets the fault of every call to any node.
     *
     * @param fault the fault of every call
     */
    public void towardAll(Fault fault) {
        towardAll(() -> fault);
    }

    /**
     * Sets the faults of the calls to all nodes.
     *
     * @param faults supplies the fault of each call
     */
    public void towardAll(Supplier<Fault> faults) {
        links.clear();
        otherLinks = faults;
    }

    /** Ends all faults. Running calls keep theirs. */
    public void heal() {
        towardAll(HEALTHY);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        Fault fault = links.getOrDefault(node.id(), otherLinks).get();
        if (fault instanceof Fault.None) {
            return super.call(node, request, context);
        }
        if (closed || context.isExpired() || context.isCancelled() || fault instanceof Fault.Refuse) {
            return CompletableFuture.failedFuture(
                    new TransportException(Outcome.NOT_SENT, "call to " + node.id() + " was refused"));
        }
        if (fault instanceof Fault.RefuseForRoom) {
            return CompletableFuture.failedFuture(
                    new TransportException(Reason.NO_ROOM, node.id() + " has no room for a call"));
        }
        CompletableFuture<byte[]> result = begin(node, context);
        if (fault instanceof Fault.LoseReply) {
            super.call(node, request, context);
        } else if (fault instanceof Fault.FailAfterDelivery) {
            failAfterDelivery(node, request, context, result);
        } else if (fault instanceof Fault.Delay delay) {
            after(
                    delay.request(),
                    () -> super.call(node, request, context).handle((reply, error) -> {
                        after(delay.reply(), () -> complete(result, reply, error));
                        return result;
                    }));
        } else if (fault instanceof Fault.Repeat repeat) {
            repeat(node, request, context, repeat.later(), result);
        }
        return result;
    }

    /** Creates a call that fails at its deadline unless it is completed before. */
    private CompletableFuture<byte[]> begin(Node node, CallContext context) {
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        long number = calls.incrementAndGet();
        synchronized (open) {
            open.put(number, result);
        }
        Environment.Timer deadline = environment.schedule(
                () -> result.completeExceptionally(unknown("the deadline of a call to " + node.id() + " passed")),
                context.remainingNanos());
        context.onCancel(() -> result.completeExceptionally(unknown("the call to " + node.id() + " was cancelled")));
        // Not {@code whenComplete}: its stage would fail too, at the cost of another exception and stack trace.
        result.handle((reply, error) -> {
            deadline.cancel();
            synchronized (open) {
                return open.remove(number);
            }
        });
        if (closed) {
            failOpenCalls();
        }
        return result;
    }

    private void failAfterDelivery(Node node, Frame request, CallContext context, CompletableFuture<byte[]> result) {
        super.call(node, request, context)
                .handle((reply, error) -> complete(
                        result, reply, error != null ? error : unknown("the connection to " + node.id() + " broke")));
    }

    /** Sends a request, and a copy of it later. Either the call ends as not sent, or there is a copy, never both. */
    private void repeat(
            Node node, Frame request, CallContext context, Duration later, CompletableFuture<byte[]> result) {
        AtomicBoolean settled = new AtomicBoolean();
        super.call(node, request, context).handle((reply, error) -> {
            boolean copied = isNotSent(error) && !settled.compareAndSet(false, true);
            return complete(
                    result, reply, copied ? unknown("a copy of the call to " + node.id() + " was sent") : error);
        });
        after(later, () -> {
            if (settled.compareAndSet(false, true)) {
                super.call(node, request, context);
            }
        });
    }

    private static boolean isNotSent(@Nullable Throwable error) {
        return error != null
                && DhtException.unwrap(error) instanceof TransportException e
                && e.outcome() == Outcome.NOT_SENT;
    }

    private static boolean complete(
            CompletableFuture<byte[]> result, byte @Nullable [] reply, @Nullable Throwable error) {
        return error == null ? result.complete(reply) : result.completeExceptionally(error);
    }

    private void after(Duration delay, Runnable action) {
        if (delay.isZero()) {
            action.run();
        } else {
            environment.schedule(action, delay.toNanos());
        }
    }

    private static TransportException unknown(String message) {
        return new TransportException(Outcome.UNKNOWN, message);
    }

    @Override
    public String name() {
        return "faulty " + super.name();
    }

    @Override
    public void close() {
        closed = true;
        super.close();
        failOpenCalls();
    }

    private void failOpenCalls() {
        List<CompletableFuture<byte[]>> left;
        synchronized (open) {
            left = List.copyOf(open.values());
        }
        left.forEach(call -> call.completeExceptionally(unknown("the transport was closed")));
    }
}
