package io.dht4j.transport.http;

import io.dht4j.Cluster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** A cluster whose answers are held back until a test lets them go. */
final class PausedCluster {

    private static final Set<String> CALLS = Set.of("get", "put", "delete", "getAll", "putAll");

    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private final AtomicInteger calls = new AtomicInteger();

    /** Passes everything on, and holds the answers to calls for keys back. */
    Cluster over(Cluster cluster) {
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(cluster, arguments);
                        calls.addAndGet(CALLS.contains(method.getName()) ? 1 : 0);
                        return CALLS.contains(method.getName())
                                ? released.thenCombine((CompletionStage<?>) result, (now, answer) -> answer)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** How many calls for keys have come. */
    int calls() {
        return calls.get();
    }

    /** Lets all answers go, those of later calls too. */
    void release() {
        released.complete(null);
    }
}
