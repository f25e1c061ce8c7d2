package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.bytes;
import static io.dht4j.simulator.contract.Results.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.TraceContext;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The trace context of a call's options reaches the node. A part of {@link RemoteApiContract}. */
interface TraceContextSuite extends RemoteApiSuite {

    /** A trace context with all that it may have. */
    TraceContext TRACE = new TraceContext(-1, Long.MIN_VALUE, 1, 1, "vendor=a:b,other=" + "x".repeat(400));

    @Test
    default void theTraceContextOfEachCallReachesTheNode() throws Exception {
        assertThat(contextsOfCalls(OPTIONS.withTraceContext(TRACE))).containsOnly(Optional.of(TRACE));
    }

    @Test
    default void anUnsampledContextReachesTheNodeAsSuch() throws Exception {
        TraceContext unsampled = new TraceContext(0, 1, -1, 0, "");
        assertThat(contextsOfCalls(OPTIONS.withTraceContext(unsampled))).containsOnly(Optional.of(unsampled));
    }

    @Test
    default void aCallWithoutATraceContextHasNoneAtTheNode() throws Exception {
        assertThat(contextsOfCalls(OPTIONS)).containsOnly(Optional.empty());
    }

    /** Makes a call of each kind, and returns the contexts of the calls that the node gets. */
    private List<Optional<TraceContext>> contextsOfCalls(CallOptions options) throws Exception {
        List<Optional<TraceContext>> contexts = Collections.synchronizedList(new ArrayList<>());
        RemoteApi api = api();
        String address =
                served(recording(Cluster.class, clusters().get(0), contexts)).address();
        result(api.put(address, KEY, bytes("value"), options));
        result(api.get(address, KEY, options));
        result(api.delete(address, KEY, options));
        result(api.putAll(address, Map.of(KEY, bytes("value")), options));
        result(api.getAll(address, List.of(KEY), options));
        result(api.scan(address, KeyRange.all(), ScanScope.CLUSTER, 1, options));
        Version snapshot = result(api.openSnapshot(address, Duration.ofMinutes(1), options));
        result(api.scanSnapshot(address, snapshot, KeyRange.all(), 1, options));
        result(api.closeSnapshot(address, snapshot, options));
        assertThat(contexts).hasSize(9);
        return contexts;
    }

    private static <T> T recording(Class<T> type, T called, List<Optional<TraceContext>> contexts) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    for (Object argument : arguments == null ? new Object[0] : arguments) {
                        if (argument instanceof CallOptions options) {
                            contexts.add(options.traceContext());
                        }
                    }
                    try {
                        Object result = method.invoke(called, arguments);
                        return result instanceof Snapshot snapshot
                                ? recording(Snapshot.class, snapshot, contexts)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
