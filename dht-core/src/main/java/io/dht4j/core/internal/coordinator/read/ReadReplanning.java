package io.dht4j.core.internal.coordinator.read;

import io.dht4j.DhtException;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.quorum.InternalErrors;
import io.dht4j.core.internal.coordinator.read.ReadRequests.KeyQuery;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.spi.CallContext;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads keys again by a newer table, after replicas have refused to answer by an older one. Does not block; safe for
 * use by any number of threads.
 */
final class ReadReplanning {

    private final ReadOperation operation;
    private final Replanning views;
    private final CallContext context;

    ReadReplanning(ReadOperation operation, Replanning views, CallContext context) {
        this.operation = operation;
        this.views = views;
        this.context = context;
    }

    /** Reads keys again by a newer view, unless other answers have decided by then. */
    void replan(List<KeyQuery> queries, FencingToken token, PeerFailure failure) {
        whenNewer(token, failure, newer -> {
            if (newer.isEmpty()) {
                operation.failed(queries, failure);
                return;
            }
            operation.noted(failure);
            List<KeyRead> undecidedYet = queries.stream()
                    .map(KeyQuery::read)
                    .filter(read -> read.tracker.abandon())
                    .toList();
            operation.readAgain(undecidedYet, newer.get());
        });
    }

    /**
     * Reads a key again by a newer view, whose answers have decided but cannot be completed by the older one.
     *
     * @param otherwise continues without a newer view
     */
    void replan(KeyRead read, FencingToken token, PeerFailure stale, Runnable otherwise) {
        whenNewer(
                token, stale, newer -> newer.ifPresentOrElse(by -> operation.readAgain(List.of(read), by), otherwise));
    }

    private void whenNewer(FencingToken token, PeerFailure stale, Consumer<Optional<ClusterView>> then) {
        // The rest is for another replica.
        views.after(token, stale.node(), context.remainingNanos() / 2).handle((newer, error) -> {
            try {
                if (!operation.isDone()) {
                    then.accept(Optional.ofNullable(newer));
                }
            } catch (RuntimeException | Error e) {
                operation.fail(e instanceof DhtException known ? known : InternalErrors.of(e));
            }
            return error == null;
        });
    }
}
