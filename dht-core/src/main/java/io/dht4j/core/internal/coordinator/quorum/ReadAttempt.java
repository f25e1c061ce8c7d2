package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to read one key by one table: the nodes that can be read, each of which is asked at most once. Lock-free;
 * safe for use by any number of threads.
 *
 * @param <T> the attempts of the operation
 */
public abstract class ReadAttempt<T extends ReadAttempt<T>> extends Attempt<T> {

    public final Key key;

    /** One node for each slot that can be read, in the order in which they are asked. */
    public final List<Node> replicas;

    /** The fencing token that replicas compare with their tables; null in a static cluster. */
    public final @Nullable FencingToken token;

    /** The number of replicas that have been asked, or more. */
    private final AtomicInteger next = new AtomicInteger();

    /**
     * Creates an attempt in which no replica has been asked yet.
     *
     * @param key the key
     * @param replicas the {@linkplain #replicas(Key, ReplicaClient, ReplicationPolicy, ClusterView) replicas} to be
     *     read
     * @param policy the number of replicas, and of needed answers
     * @param token the token of the key; null in a static cluster
     */
    protected ReadAttempt(Key key, List<Node> replicas, ReplicationPolicy policy, @Nullable FencingToken token) {
        super(new AckTracker(policy, policy.from() - replicas.size()));
        this.key = key;
        this.replicas = replicas;
        this.token = token;
    }

    /**
     * Returns the nodes that can be read.
     *
     * @param key the key
     * @param client asks replicas
     * @param policy the number of replicas, and of needed answers
     * @param view the view of the attempt
     * @return at least {@code ack} nodes, in the order in which they are asked
     * @throws io.dht4j.OverloadedException if too few of them have room for it
     * @throws io.dht4j.UnavailableException if there are too few, since the content of a dead one is still being copied
     */
    protected static List<Node> replicas(Key key, ReplicaClient client, ReplicationPolicy policy, ClusterView view) {
        List<Node> replicas = client.order().readers(view, view.partitionOf(key), policy.from());
        if (replicas.size() < policy.ack()) {
            throw DhtException.of(
                    ErrorCode.NOT_ENOUGH_REPLICAS,
                    "of the first " + policy.from() + " replicas of the key " + replicas.size() + " can be read, not "
                            + policy.ack() + ": another still receives the content of a dead one");
        }
        client.limits().require(replicas, policy);
        return replicas;
    }

    /**
     * Returns how many replicas are needed.
     *
     * @return the {@code ack} of its policy
     */
    public final int ack() {
        return tracker.policy().ack();
    }

    /**
     * Returns how many replicas there are.
     *
     * @return the {@code from} of its policy
     */
    public final int from() {
        return tracker.policy().from();
    }

    /**
     * Returns replicas that are not asked yet; now they count as asked.
     *
     * @param count the wanted number
     * @return {@code count} replicas, or as many as are left
     */
    public final List<Node> take(int count) {
        int begin = Math.min(next.getAndAdd(count), replicas.size());
        return replicas.subList(begin, Math.min(begin + count, replicas.size()));
    }

    /**
     * Returns the replicas that have been asked.
     *
     * @return a prefix of the replicas
     */
    public final List<Node> asked() {
        return replicas.subList(0, Math.min(next.get(), replicas.size()));
    }

    /**
     * Returns whether some replicas have not been asked.
     *
     * @return false if {@link #take} returns none
     */
    public final boolean hasMore() {
        return next.get() < replicas.size();
    }
}
