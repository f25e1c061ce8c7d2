package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.CancellationPolicy;
import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes requests into frames, one or several in each, and passes them to the transport. What the transport returns
 * goes to the receiver, while requests are held back, so that the requests that it leads to share frames too. Does not
 * block; safe for use by any number of threads.
 */
final class FrameSender {

    private static final Logger LOG = LoggerFactory.getLogger(FrameSender.class);

    private final Transport transport;
    private final LongSupplier nanoTime;
    private final OwnHeader own;
    private final int maxBatchBytes;
    private final boolean cancels;
    private final RequestCoalescer coalescer;
    private final ReplyReceiver receiver;

    FrameSender(
            NodeComponents components,
            NodeConfig config,
            OwnHeader own,
            RequestCoalescer coalescer,
            ReplyReceiver receiver) {
        this.transport = components.transport();
        this.nanoTime = components.environment()::nanoTime;
        this.own = own;
        this.maxBatchBytes = config.batching().maxBytes();
        this.cancels = config.calls().cancellation() == CancellationPolicy.PROPAGATE;
        this.coalescer = coalescer;
        this.receiver = receiver;
    }

    /** Sends the requests of a batch. */
    void send(Batcher.Batch batch) {
        List<PendingRequest> requests = batch.requests;
        if (requests.size() == 1) {
            send(requests.get(0), batch);
            return;
        }
        // Not whenComplete: its stage would fail too, with an exception and a stack trace of its own.
        call(requests).handle((bytes, error) -> {
            boolean coalescing = coalescer.begin();
            try {
                if (error == null) {
                    receiver.received(requests, bytes);
                } else {
                    receiver.failed(requests, DhtException.unwrap(error));
                }
            } finally {
                batch.ended();
                if (coalescing) {
                    coalescer.end();
                }
            }
            return error == null;
        });
    }

    /**
     * Sends a request in a frame of its own.
     *
     * @param batch the batch that it is alone in; null if it has not waited for one
     */
    void send(PendingRequest request, Batcher.@Nullable Batch batch) {
        call(request).handle((bytes, error) -> {
            boolean coalescing = coalescer.begin();
            try {
                if (error == null) {
                    receiver.received(request, bytes);
                } else {
                    receiver.failed(request, DhtException.unwrap(error));
                }
            } catch (RuntimeException | Error e) {
                ReplyReceiver.logUndelivered(request, e);
            } finally {
                if (batch != null) {
                    batch.ended();
                }
                if (coalescing) {
                    coalescer.end();
                }
            }
            return error == null;
        });
    }

    private CompletionStage<byte[]> call(List<PendingRequest> requests) {
        Node node = requests.get(0).node();
        Frame frame;
        CallContext context;
        try {
            long latest = 1;
            for (PendingRequest request : requests) {
                latest = Math.max(latest, request.remainingNanos());
            }
            Request.Batch batch = new Request.Batch(requests, 4 * maxBatchBytes, maxBatchBytes / 4);
            context = new CallContext(nanoTime, latest);
            if (cancels) {
                cancelWithAll(requests, context);
            }
            frame = FrameCodec.encode(header(requests.get(0), ClusterView.NO_VERSION, null), batch);
        } catch (RuntimeException | Error e) {
            return notEncoded(node, e);
        }
        return call(node, frame, context);
    }

    /** Cancels a frame of reads once none of them is wanted. */
    private static void cancelWithAll(List<PendingRequest> requests, CallContext frame) {
        if (requests.get(0).outbound().kind == OutboundRequest.Kind.READ) {
            AtomicInteger wanted = new AtomicInteger(requests.size());
            for (PendingRequest request : requests) {
                request.context().onCancel(() -> {
                    if (wanted.decrementAndGet() == 0) {
                        frame.cancel();
                    }
                });
            }
        }
    }

    private CompletionStage<byte[]> call(PendingRequest request) {
        Frame frame;
        try {
            frame = request.outbound().frame(header(request, request.rowVersion(), request.trace()));
        } catch (RuntimeException | Error e) {
            return notEncoded(request.node(), e);
        }
        return call(request.node(), frame, request.context());
    }

    /** Fails the requests of a frame that could not be encoded, mostly for lack of memory, so that others have room. */
    private static CompletionStage<byte[]> notEncoded(Node node, Throwable e) {
        LOG.error("a request to {} could not be encoded", node.id(), e);
        return CompletableFuture.failedFuture(
                new TransportException(Reason.NO_ROOM, "not sent: the request could not be encoded: " + e));
    }

    private FrameHeader header(PendingRequest request, long rowVersion, @Nullable TraceContext trace) {
        return own.to(Optional.of(request.node().id()), request.identity(), rowVersion, trace);
    }

    private CompletionStage<byte[]> call(Node node, Frame frame, CallContext context) {
        try {
            return transport.call(node, frame, context);
        } catch (RuntimeException | Error e) {
            // Against its contract, or for lack of memory. The callers need an answer all the same.
            LOG.error("transport {} threw an exception against its contract", transport.name(), e);
            return CompletableFuture.failedFuture(
                    new TransportException(Outcome.UNKNOWN, "the transport threw " + e, e));
        }
    }
}
