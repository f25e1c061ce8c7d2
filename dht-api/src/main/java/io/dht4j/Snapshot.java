package io.dht4j;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The keys of the whole cluster as of one version, regardless of later writes. Of the acknowledged writes, a snapshot
 * contains exactly those that are not newer than its version. It may contain a write of unknown outcome.
 *
 * <p>The nodes keep superseded entries in memory until the snapshot is closed, or until it has not been read for the
 * time of its lease. A node that reaches its limit for them drops the snapshot.
 *
 * <p>Stages, failures and arguments are as those of {@link Cluster}. No method blocks. Safe for use by any number of
 * threads.
 */
public interface Snapshot extends AutoCloseable {

    /** The shortest lease. */
    Duration MIN_LEASE = Duration.ofSeconds(1);

    /** The longest lease. */
    Duration MAX_LEASE = Duration.ofHours(1);

    /**
     * Returns the version that identifies the snapshot on every node, for {@link Cluster#snapshot}.
     *
     * @return the version
     */
    Version version();

    /**
     * Starts a scan of the snapshot. The scan reads nothing until the first page is requested. Each page renews the
     * snapshot's lease. Several scans of a snapshot may run at the same time.
     *
     * @param range the keys to show
     * @param options policy and timeout. The timeout applies to each page; a time to live is refused. The scan reads
     *     all of the first {@code from} replicas that have the snapshot, and {@code ack} of them must answer
     * @return the scan; its pages fail with {@link ErrorCode#SNAPSHOT_GONE} if the snapshot has ended
     */
    Scan scan(KeyRange range, CallOptions options);

    /**
     * Starts a scan with default options.
     *
     * @param range the keys to show
     * @return as {@link #scan(KeyRange, CallOptions)}
     */
    default Scan scan(KeyRange range) {
        return scan(range, CallOptions.defaults());
    }

    /**
     * Closes the snapshot. Has no effect if it has ended. Scans that still run fail in their next page.
     *
     * @param options a timeout
     * @return a stage that completes when the nodes that answer have dropped the snapshot; the others drop it when its
     *     lease expires
     */
    CompletionStage<Void> close(CallOptions options);

    /**
     * Closes the snapshot without waiting for the nodes, so also before the pages of a scan have arrived. A node that
     * is not reached, or refuses as overload, drops the snapshot when its lease expires. May be called repeatedly.
     */
    @Override
    default void close() {
        close(CallOptions.defaults());
    }
}
