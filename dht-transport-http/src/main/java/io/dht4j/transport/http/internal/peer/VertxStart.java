package io.dht4j.transport.http.internal.peer;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Starts Vert.x, for listeners and for clients of the public API. */
public final class VertxStart {

    /** From here on Vert.x warns of a handler that blocks its event loop. */
    private static final int BLOCKED_SECONDS = 10;

    private VertxStart() {}

    /** Returns the options for so many event loops. */
    public static VertxOptions options(int eventLoops) {
        return new VertxOptions()
                .setEventLoopPoolSize(eventLoops)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(2)
                .setAddressResolverOptions(HostLookups.options())
                // A start on a busy machine, which loads classes, delays a loop by some seconds; that is no fault.
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.SECONDS)
                .setMaxEventLoopExecuteTime(BLOCKED_SECONDS)
                // A pause of the process is logged in one line; a stack trace would show its place and not its
                // cause.
                .setWarningExceptionTime(Long.MAX_VALUE)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }

    /**
     * Starts the event loops, on a thread that ends afterwards. Netty keeps objects in the thread that starts it; in a
     * thread of the application, these would keep the class loader of a closed application. Blocks.
     *
     * @param start starts them on the calling thread
     */
    public static Vertx run(Supplier<Vertx> start) {
        CompletableFuture<Vertx> started = new CompletableFuture<>();
        Thread starting = new Thread(
                () -> {
                    try {
                        Vertx vertx = start.get();
                        // Loads Netty's buffers, which keep objects in the thread that loads them, too.
                        Buffer.buffer();
                        started.complete(vertx);
                    } catch (Throwable e) {
                        // Netty throws checked exceptions undeclared, too.
                        started.completeExceptionally(e);
                    }
                },
                "dht4j-http-start");
        starting.setDaemon(true);
        starting.start();
        try {
            return started.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            // The trace of the cause is that of the thread above.
            throw new IllegalStateException("Vert.x cannot start: " + e.getCause(), e.getCause());
        }
    }
}
