package io.dht4j.transport.grpc.api.internal.remote;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.KeyValue;
import io.dht4j.OverloadedException;
import io.dht4j.transport.common.RemoteAdmission;
import io.dht4j.transport.common.options.RemoteApiOptions;
import io.dht4j.transport.grpc.api.internal.common.ApiProtocol;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.ScanRequest;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits and sends calls, and ends those in flight when it is closed. It uses one channel per address and one gRPC call
 * per call, and repeats no call. Safe for use by any number of threads.
 */
public final class RemoteClient {

    /** The timeout of callers that omit it against the contract. */
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    private final Optional<String> token;
    private final int maxPageBytes;
    private final RemoteChannels channels;
    private final RemoteAdmission admission;
    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile Consumer<String> stopping = address -> {};
    private volatile boolean ended;

    /**
     * Creates a client. Blocks while it reads the files for TLS, if there are any.
     *
     * @param eventLoops the number of threads that read and write
     */
    public RemoteClient(RemoteApiOptions<?> options, int eventLoops) {
        this.token = options.token();
        this.maxPageBytes = options.limits().maxPageBytes();
        this.admission = new RemoteAdmission(options.limits());
        this.channels = new RemoteChannels(options, eventLoops);
    }

    /**
     * Calls a method. The stage reports every failure.
     *
     * @param requestBytes the request's share of the bytes in flight
     * @param request creates the message, once the call is admitted
     */
    public <Q, A, R> CompletionStage<R> call(
            String address, RemoteMethod<Q, A, R> method, long requestBytes, CallOptions options, Supplier<Q> request) {
        return call(
                address,
                method.descriptor(),
                method.ifTooLarge(),
                requestBytes,
                options,
                request,
                new OneMessage<>(method.read()));
    }

    /** Reads a page of a scan: at most so many entries. The stage reports every failure. */
    public CompletionStage<List<KeyValue>> scan(
            String address, int limit, long requestBytes, CallOptions options, Supplier<ScanRequest> request) {
        return call(
                address,
                KeyValueGrpc.getScanMethod(),
                ErrorCode.VALUE_TOO_LARGE,
                requestBytes,
                options,
                request,
                new RemoteScan(limit, maxPageBytes));
    }

    // Futures are compared by identity, as intended.
    @SuppressWarnings("CollectionUndefinedEquality")
    private <Q, A, R> CompletionStage<R> call(
            String address,
            MethodDescriptor<Q, A> method,
            ErrorCode ifTooLarge,
            long requestBytes,
            CallOptions options,
            Supplier<Q> request,
            GrpcCall.Collector<A, R> collector) {
        if (ended) {
            return CompletableFuture.failedFuture(RemoteAdmission.closed());
        }
        String full = admission.enter(requestBytes);
        if (full != null) {
            return CompletableFuture.failedFuture(new OverloadedException(full));
        }
        CompletableFuture<R> running;
        try {
            running = GrpcCall.start(
                    () -> channels.at(address),
                    address,
                    method,
                    request.get(),
                    options.timeout().orElse(DEFAULT_TIMEOUT),
                    () -> headers(options),
                    ifTooLarge,
                    collector,
                    () -> stopping.accept(address),
                    channels.loops());
        } catch (DhtException e) {
            running = CompletableFuture.failedFuture(e);
        } catch (RuntimeException | Error e) {
            // An error, mostly a lack of memory, ends this call only, which must release its room.
            running = CompletableFuture.failedFuture(
                    DhtException.of(ErrorCode.INTERNAL, "node at " + address + ": the call failed: " + e));
        }
        CompletableFuture<R> begun = running;
        underWay.add(begun);
        if (ended) {
            abandon(begun);
        }
        // The caller gets the stage behind this one, so that its next call finds the room that this one releases.
        return begun.whenComplete((result, error) -> {
            underWay.remove(begun);
            admission.leave(requestBytes);
        });
    }

    /** Sets the receiver of the address of a node whose answer announces that it is about to stop. */
    public void onStopping(Consumer<String> listener) {
        stopping = listener;
    }

    private Metadata headers(CallOptions options) {
        Metadata headers = new Metadata();
        token.ifPresent(secret -> headers.put(ApiProtocol.AUTHORIZATION, "Bearer " + secret));
        options.traceContext().ifPresent(trace -> {
            headers.put(ApiProtocol.TRACE_PARENT, trace.traceparent());
            if (!trace.state().isEmpty()) {
                headers.put(ApiProtocol.TRACE_STATE, trace.state());
            }
        });
        return headers;
    }

    public boolean isClosed() {
        return ended;
    }

    /**
     * Ends the connections and the calls in flight, whose outcome is unknown then. Blocks for a few seconds at most.
     */
    public void close() {
        channels.close();
        ended = true;
        // The library may never notify a call that begins just as the threads end.
        underWay.forEach(RemoteClient::abandon);
    }

    private static void abandon(CompletableFuture<?> call) {
        call.completeExceptionally(DhtException.of(
                ErrorCode.INTERNAL, "outcome unknown: this client was closed while the call was under way"));
    }

    /** The only message of an answer. */
    private static final class OneMessage<A, R> implements GrpcCall.Collector<A, R> {

        private final Function<A, R> read;
        private @Nullable R result;

        OneMessage(Function<A, R> read) {
            this.read = read;
        }

        @Override
        public boolean take(A message) {
            result = read.apply(message);
            return true;
        }

        @Override
        public R result() {
            R read = result;
            if (read == null) {
                throw new IllegalStateException("there is no message in it");
            }
            return read;
        }
    }
}
