package io.dht4j.spi;

import static java.util.Objects.requireNonNull;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Receives the outcomes of an application's calls and of the requests to other nodes, for metrics. What a node can be
 * asked for at any time, such as its hints or its repair, is in the status of the cluster instead.
 *
 * <p>Any number of threads call the methods, event loops among them, just before the caller gets the outcome. The
 * methods must not block, nor call the cluster. If one throws, the library logs a warning, at most every ten seconds,
 * and the call goes on as if it had returned. Durations are of {@link Environment#nanoTime()}.
 */
@FunctionalInterface
public interface Observer {

    /**
     * Reports that a call of the application has ended. Each call is reported once, also if it was refused, has met an
     * {@link Error}, or its caller has completed the stage that it got.
     *
     * @param call the kind of call
     * @param outcome what it has come to
     * @param nanos how long it took, 0 or more; of a scan, how long this page took
     */
    void callEnded(Call call, Outcome outcome, long nanos);

    /**
     * Reports that a request to another node has ended. A request that was sent a second time is reported once. By
     * default the report is ignored.
     *
     * @param node the node
     * @param request the kind of request
     * @param outcome what it has come to, as far as this node knows
     * @param nanos how long it took, 0 or more; includes the time in which it waited to be sent
     */
    default void requestEnded(NodeId node, Request request, Outcome outcome, long nanos) {}

    /**
     * Reports that the nodes of the cluster have changed. What is known of other nodes can be forgotten. Late reports
     * about these may follow. Never called where the nodes are fixed. By default the report is ignored.
     *
     * @param nodes all nodes but this one
     */
    default void retain(Set<NodeId> nodes) {}

    /** The kinds of calls of an application. Later versions may add some. */
    enum Call {
        /** Reads a key. */
        GET,
        /** Writes a key. */
        PUT,
        /** Deletes a key. */
        DELETE,
        /** Reads a batch of keys. */
        GET_ALL,
        /** Writes a batch of keys. */
        PUT_ALL,
        /** Reads a page of a scan. A page of a scan that was closed or has failed is no call. */
        SCAN_PAGE,
        /** Opens a snapshot. */
        OPEN_SNAPSHOT,
        /** Closes a snapshot. */
        CLOSE_SNAPSHOT,
        /** Reads an atomic key. */
        ATOMIC_GET,
        /** Executes an operation on an atomic key that may change it. */
        ATOMIC_CHANGE
    }

    /** The kinds of requests to another node. Later versions may add some. */
    enum Request {
        /** Reads entries or their versions. */
        READ,
        /** Writes entries: of a call, a read repair, a hint or a repair session. */
        WRITE,
        /** Reads a page of a scan or of a snapshot. */
        SCAN,
        /** Opens, fixes, renews or ends a snapshot. */
        SNAPSHOT,
        /** Reads a page for a node that refills its store or takes over a partition. */
        REFILL,
        /** Compares replicas or agrees on a purge. */
        REPAIR,
        /** Asks for a sign of life. */
        PING,
        /** Reads or changes what the nodes of a cluster agree on. */
        MEMBERSHIP
    }

    /**
     * What a call or a request has come to: a success, an error of the library, or nothing because it was no longer
     * wanted. There is one instance for each. Immutable.
     */
    final class Outcome {

        private static final Outcome SUCCESS = new Outcome("SUCCESS", Optional.empty());
        private static final Outcome CANCELLED = new Outcome("CANCELLED", Optional.empty());
        private static final Map<ErrorCode, Outcome> FAILURES = failures();

        private final String name;
        private final Optional<ErrorCode> error;

        private Outcome(String name, Optional<ErrorCode> error) {
            this.name = name;
            this.error = error;
        }

        private static Map<ErrorCode, Outcome> failures() {
            Map<ErrorCode, Outcome> failures = new EnumMap<>(ErrorCode.class);
            for (ErrorCode code : ErrorCode.values()) {
                failures.put(code, new Outcome(code.name(), Optional.of(code)));
            }
            return Collections.unmodifiableMap(failures);
        }

        /**
         * Returns the outcome of what has succeeded.
         *
         * @return the success
         */
        public static Outcome success() {
            return SUCCESS;
        }

        /**
         * Returns the outcome of what was no longer wanted: a read that its caller has cancelled, or a request whose
         * call had enough other answers.
         *
         * @return the cancellation
         */
        public static Outcome cancelled() {
            return CANCELLED;
        }

        /**
         * Returns the outcome of what has failed.
         *
         * @param code the error
         * @return the failure
         */
        public static Outcome of(ErrorCode code) {
            return requireNonNull(FAILURES.get(requireNonNull(code, "code")));
        }

        /**
         * Returns the outcome of a stage.
         *
         * @param error what the stage has failed with, perhaps wrapped by another stage; null if it has succeeded. Of
         *     what is no {@link DhtException}, the outcome is {@link ErrorCode#INTERNAL}
         * @return the outcome
         */
        public static Outcome of(@Nullable Throwable error) {
            if (error == null) {
                return SUCCESS;
            }
            Throwable cause = DhtException.unwrap(error);
            if (cause instanceof DhtException failure) {
                return of(failure.code());
            }
            return cause instanceof CancellationException ? CANCELLED : of(ErrorCode.INTERNAL);
        }

        /**
         * Returns the name for metrics.
         *
         * @return {@code SUCCESS}, {@code CANCELLED}, or the name of the error
         */
        public String name() {
            return name;
        }

        /**
         * Returns the error.
         *
         * @return empty for a success and a cancellation
         */
        public Optional<ErrorCode> error() {
            return error;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
