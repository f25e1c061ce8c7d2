package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.quorum.Answers;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.quorum.ReadAttempt;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The state of one key within a read, by one table. Lock-free: answers arrive on any thread. */
final class KeyRead extends ReadAttempt<KeyRead> {

    private final AtomicReference<Answers> answers = new AtomicReference<>(Answers.NONE);

    /** Whether enough replicas have answered, or too many have failed. */
    volatile boolean decided;

    /** Written before the operation's count of undecided keys is decremented, and read after it has reached zero. */
    Optional<Entry> outcome = Optional.empty();

    KeyRead(Key key, List<Node> replicas, ReplicationPolicy policy, @Nullable FencingToken token) {
        super(key, replicas, policy, token);
    }

    /**
     * Plans the read of a key by a view.
     *
     * @throws io.dht4j.OverloadedException if too few replicas have room for it
     * @throws io.dht4j.UnavailableException if too few replicas can be read
     */
    static KeyRead plan(Key key, ReplicaClient client, CallPolicy ofCall, ClusterView view) {
        ReplicationPolicy policy = ofCall.in(view, key);
        return new KeyRead(key, replicas(key, client, policy, view), policy, view.token(key));
    }

    @Override
    protected KeyRead self() {
        return this;
    }

    /**
     * Adds an answer; called before it is counted.
     *
     * @return all answers up to this one
     */
    Answers add(ReplicaAnswer answer) {
        return Objects.requireNonNull(answers.updateAndGet(before -> before.with(answer)));
    }

    /**
     * Settles the read. Every answer is either among the returned ones, or late, as its {@link #add} shows.
     *
     * @return the answers until now
     */
    Answers settle() {
        return Objects.requireNonNull(answers.updateAndGet(Answers::thatSettle));
    }

    /** Returns all answers until now. */
    Answers answers() {
        return Objects.requireNonNull(answers.get());
    }

    /** Returns the replicas that have been asked, and have not answered. */
    Stream<NodeId> unanswered() {
        Answers all = answers();
        return asked().stream().filter(node -> !all.hasOf(node)).map(Node::id);
    }

    /**
     * Returns the number of slots that must receive the entry before the read may end, so that every later read whose
     * slots overlap sees it. A slot of two nodes lacks it while the node that is not read may lack it.
     *
     * @param holders the replicas that have answered with the entry or a newer one
     * @return 0 or less if enough slots hold it
     */
    int lacking(List<Node> holders) {
        ReplicationPolicy policy = tracker.policy();
        boolean mayBeAlone = policy.ack() == 1 && policy.from() > 1;
        int half = !mayBeAlone && isHeldByHalf(moving(), holders) ? 1 : 0;
        return policy.ack() - holders.size() + half;
    }

    /** Returns the slot that moves. */
    private Optional<ReplicaSlot> moving() {
        return token == null ? Optional.empty() : token.view().movingSlot(key, from());
    }

    /** Returns whether one of two nodes of a slot holds the entry. The other one has not been read. */
    private static boolean isHeldByHalf(Optional<ReplicaSlot> moving, List<Node> holders) {
        return moving.isPresent()
                && moving.get().isPair()
                && moving.get().reader().filter(holders::contains).isPresent();
    }

    /**
     * Returns the repair that this read waits for. The entry goes to all nodes that are not known to hold it.
     *
     * @param holders the replicas that have answered with the entry or a newer one
     * @param outcome receives the end of the repair
     */
    Repair repairBefore(Entry entry, List<Node> holders, Repair.Outcome outcome) {
        Optional<ReplicaSlot> moving = moving();
        List<Node> targets = new ArrayList<>(
                token == null || moving.isEmpty() ? replicas : token.view().replicas(key, from()));
        targets.removeAll(holders);
        return Repair.beforeReply(entry, targets, moving, token, lacking(holders), outcome);
    }

    /**
     * Returns the repair that a late answer calls for, of its own replica or of those that have answered before. There
     * is none if a large value that may be newer has not been sent: it would have to be fetched for a repair that no
     * read waits for.
     */
    Optional<Repair> repairAfter(ReplicaAnswer late, Answers all) {
        Optional<ReplicaAnswer> newest = all.newest();
        if (newest.isEmpty() || all.missing().isPresent()) {
            return Optional.empty();
        }
        List<Node> stale = newest.get() == late
                ? all.whereabouts(replicas, late).behind()
                : late.isBehind(newest.get()) ? List.of(late.node()) : List.of();
        return stale.isEmpty()
                ? Optional.empty()
                : Optional.of(Repair.behindReply(newest.get().entry().orElseThrow(), stale, token));
    }
}
