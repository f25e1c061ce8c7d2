package io.dht4j.transport.http.internal.common;

import io.vertx.core.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/** The paths and headers of the public API. */
public final class ApiProtocol {

    public static final String ENTITY = "/v0/entity";
    public static final String ENTITIES = "/v0/entities";
    public static final String BATCH_GET = "/v0/batch-get";
    public static final String BATCH_PUT = "/v0/batch-put";
    public static final String ATOMIC = "/v0/atomic";
    public static final String ATOMIC_ADD = "/v0/atomic/add";
    public static final String ATOMIC_SET = "/v0/atomic/set";
    public static final String ATOMIC_TOUCH = "/v0/atomic/touch";
    public static final String SNAPSHOTS = "/v0/snapshots";
    public static final String PLACEMENT = "/v0/placement";
    public static final String PARTITIONS = "/v0/partitions";
    public static final String STATUS = "/v0/status";
    public static final String REPAIR = "/v0/repair";
    public static final String SLOW_CALLS = "/v0/slow-calls";
    public static final String HOT_KEYS = "/v0/hot-keys";
    public static final String REPLICAS = "/v0/replicas";
    public static final String NODES = "/v0/nodes";
    public static final String REBALANCE = "/v0/rebalance";
    public static final String METRICS = "/metrics";
    public static final String LIVEZ = "/livez";
    public static final String READYZ = "/readyz";

    /** The page for people; its files are below it. */
    public static final String CONSOLE = "/console";

    /** The header with the version of an entry. */
    public static final CharSequence VERSION_HEADER = HttpHeaders.createOptimized("Dht-Version");

    /** The header with the time at which an entry expires, in milliseconds since 1970. */
    public static final CharSequence EXPIRY_HEADER = HttpHeaders.createOptimized("Dht-Expires-At");

    /** The header with the number of an atomic counter. */
    public static final CharSequence NUMBER_HEADER = HttpHeaders.createOptimized("Dht-Number");

    /** The header with the id of an operation on an atomic key. */
    public static final CharSequence REQUEST_ID_HEADER = HttpHeaders.createOptimized("Idempotency-Key");

    /** The header by which a client asks for what is there, if a condition does not hold (RFC 7240). */
    public static final CharSequence PREFER = HttpHeaders.createOptimized("Prefer");

    /** The value of {@link #PREFER} that asks for it. */
    public static final String REPRESENTATION = "return=representation";

    /** The header with the value {@code true} in the answers of a node that is about to stop. */
    public static final CharSequence STOPPING_HEADER = HttpHeaders.createOptimized("Dht-Stopping");

    /** The header that identifies the span of the caller. */
    public static final String TRACE_PARENT = "traceparent";

    /** The header with data of tracing systems. */
    public static final String TRACE_STATE = "tracestate";

    private ApiProtocol() {}

    /** Returns whether a path is that of a probe, which anyone may ask. */
    public static boolean isProbe(@Nullable String path) {
        return LIVEZ.equals(path) || READYZ.equals(path);
    }
}
