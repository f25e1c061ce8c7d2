package io.dht4j.benchmarks.target;

import io.dht4j.benchmarks.load.LoadException;
import io.dht4j.benchmarks.load.Operation;
import io.dht4j.benchmarks.load.Outcome;
import io.dht4j.benchmarks.load.Target;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The public HTTP API, by Vert.x's client: one for each event loop, so that an operation stays on its thread. */
final class HttpTarget implements Target {

    private static final int CLOSE_SECONDS = 10;

    private final Vertx vertx;
    private final List<HttpAddress> addresses;
    private final List<HttpLoop> loops;
    private final Buffer[] bodies;
    private final Values values;
    private final long timeoutNanos;
    private final Turns turns;

    private HttpTarget(TargetSpec spec) {
        values = new Values(spec.valueBytes());
        bodies = new Buffer[values.count()];
        for (int i = 0; i < bodies.length; i++) {
            bodies[i] = Buffer.buffer(values.of(i));
        }
        timeoutNanos = TimeUnit.MILLISECONDS.toNanos(spec.timeoutMillis());
        addresses = spec.addresses().stream()
                .map(address -> HttpAddress.of(address, spec))
                .toList();
        loops = Stream.generate(
                        () -> new HttpLoop(Math.max(1, spec.connections() / spec.eventLoops()), spec.timeoutMillis()))
                .limit(spec.eventLoops())
                .toList();
        turns = new Turns(addresses.size() * loops.size());
        vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(spec.eventLoops())
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(2)
                .setPreferNativeTransport(true));
    }

    static HttpTarget open(TargetSpec spec) {
        HttpTarget target = new HttpTarget(spec);
        for (HttpLoop loop : target.loops) {
            // Each gets another event loop of the pool, in turn.
            target.vertx
                    .deployVerticle(loop, new DeploymentOptions())
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
        }
        return target;
    }

    @Override
    public CompletionStage<Outcome> start(Operation operation, long key) {
        int turn = turns.next();
        HttpLoop loop = loops.get(turn / addresses.size());
        HttpAddress address = addresses.get(turn % addresses.size());
        HttpCall call = new HttpCall(
                operation,
                address.request(operation, key),
                bodies[values.index(key)],
                System.nanoTime() + timeoutNanos);
        try {
            loop.submit(address, call);
        } catch (RejectedExecutionException e) {
            call.fail(new LoadException("closed", "the target is closed"));
        }
        return call.result();
    }

    @Override
    public Histogram takeWaits() {
        Histogram sum = loops.get(0).takeWaits();
        loops.subList(1, loops.size()).forEach(loop -> sum.add(loop.takeWaits()));
        return sum;
    }

    @Override
    public void close() {
        CompletableFuture<Void> closed = vertx.close().toCompletionStage().toCompletableFuture();
        try {
            closed.get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the HTTP client did not close: " + e, e);
        }
    }
}
