package io.dht4j.client;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.client.RemoteCall.Kind;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer.Call;
import io.dht4j.spi.RemoteApi;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The operations of a remote cluster on atomic keys. Each gets an id, by which it is repeated at other nodes even if
 * its outcome is unknown. Safe for use by any number of threads; nothing blocks.
 */
final class RemoteAtomics {

    private final RemoteApi api;
    private final RemoteCalls calls;
    private final Environment environment;

    RemoteAtomics(RemoteApi api, RemoteCalls calls, Environment environment) {
        this.api = api;
        this.calls = calls;
        this.environment = environment;
    }

    CompletionStage<AtomicResult> execute(String map, Key key, AtomicChange change, CallOptions options) {
        try {
            AtomicSpace.key(map, key);
        } catch (InvalidRequestException e) {
            return CompletableFuture.failedFuture(e);
        }
        Operation operation = new Operation(map, key, change.copy());
        if (change.kind() == AtomicChange.Kind.READ) {
            return start(Call.ATOMIC_GET, Kind.READ, operation, options);
        }
        return options.requestId().isPresent()
                ? identified(operation, options, options.requestId().get())
                : identified(operation, options);
    }

    private record Operation(String map, Key key, AtomicChange change) {}

    /** Executes an operation under an id of this process, or of a node if the clock of this process is wrong. */
    private CompletionStage<AtomicResult> identified(Operation operation, CallOptions options) {
        long deadline = environment.nanoTime() + calls.timeout(options).toNanos();
        RequestId id = RequestId.of(
                Math.max(0, environment.currentTimeMillis()),
                environment.random().nextLong(),
                environment.random().nextLong());
        return identified(operation, options.withRequestId(id), id).exceptionallyCompose(error -> {
            long remaining = deadline - environment.nanoTime();
            return isOfWrongClock(error) && remaining > 0
                    ? start(Call.ATOMIC_CHANGE, Kind.WRITE, operation, options.withTimeout(Duration.ofNanos(remaining)))
                    : CompletableFuture.failedFuture(DhtException.unwrap(error));
        });
    }

    /** Returns whether nothing is done, since the time of the id is too far from that of a node. */
    private static boolean isOfWrongClock(Throwable error) {
        return DhtException.unwrap(error) instanceof DhtException known
                && (known.code() == ErrorCode.REQUEST_FORGOTTEN || known.code() == ErrorCode.VERSION_TOO_FAR_AHEAD);
    }

    private CompletionStage<AtomicResult> identified(Operation operation, CallOptions options, RequestId id) {
        return start(Call.ATOMIC_CHANGE, Kind.REPEATABLE, operation, options)
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(
                        DhtException.unwrap(error) instanceof IndeterminateException unknown
                                ? inWords(unknown).withRequestId(id)
                                : DhtException.unwrap(error)));
    }

    private static IndeterminateException inWords(IndeterminateException unknown) {
        return unknown.code() == ErrorCode.REQUEST_FORGOTTEN
                        || unknown.requestId().isPresent()
                ? unknown
                : new IndeterminateException(
                        ErrorCode.NO_REPLY, "the operation may be executed or not: " + unknown.getMessage());
    }

    private CompletionStage<AtomicResult> start(Call call, Kind kind, Operation operation, CallOptions options) {
        return calls.startAtomic(
                call,
                kind,
                options,
                (address, within) ->
                        api.execute(address, operation.map(), operation.key(), operation.change(), within));
    }
}
