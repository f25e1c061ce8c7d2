package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.core.internal.wire.MembershipRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Collects the reports of members about themselves: the installed state, whether they lead, and their progress in
 * taking over slots. Does not block; safe for use by any number of threads.
 */
public final class NodeReports {

    private final UUID incarnation;
    private final MembershipRequestSender requests;
    private final LongSupplier epoch;
    private final BooleanSupplier leads;
    private final Consumer<NodeId> behind;
    private final SpaceSample space;
    private final Supplier<List<String>> waits;
    private volatile BatchProgress.Reporter reporter = List::of;
    private volatile LongSupplier hintBytes = () -> 0;
    private volatile IntSupplier openSnapshots = () -> 0;

    /**
     * Creates the reports of a node.
     *
     * @param incarnation the incarnation of this node
     * @param requests sends requests
     * @param epoch returns the epoch of the installed state
     * @param leads returns whether this node leads the log
     * @param behind fetches the state of a node that has a newer one
     * @param space the space of the store of this node
     * @param waits returns the obstacles: why this node takes no part in the agreement although it should and, at the
     *     leader, what further moves wait for
     */
    NodeReports(
            UUID incarnation,
            MembershipRequestSender requests,
            LongSupplier epoch,
            BooleanSupplier leads,
            Consumer<NodeId> behind,
            SpaceSample space,
            Supplier<List<String>> waits) {
        this.incarnation = incarnation;
        this.requests = requests;
        this.epoch = epoch;
        this.leads = leads;
        this.behind = behind;
        this.space = space;
        this.waits = waits;
    }

    /** Sets the source of the batches whose slots this node takes over. Before, none are reported. */
    public void from(BatchProgress.Reporter source) {
        reporter = source;
    }

    /**
     * Sets the sources of what delays the leave of a node and the end of moves. Before, nothing delays them.
     *
     * @param hints returns the size of the undelivered hints in bytes
     * @param snapshots returns the number of open snapshots
     */
    public void pending(LongSupplier hints, IntSupplier snapshots) {
        hintBytes = hints;
        openSnapshots = snapshots;
    }

    /** Serves a request for the report, and fetches the state of the sender if it is newer. */
    Reported serve(NodeId sender, MembershipRequest.Report request) {
        if (request.epoch() > epoch.getAsLong()) {
            behind.accept(sender);
        }
        return own();
    }

    /** Returns the report of this node. */
    public Reported own() {
        return new Reported(
                incarnation,
                epoch.getAsLong(),
                leads.getAsBoolean(),
                hintBytes.getAsLong(),
                openSnapshots.getAsInt(),
                space.get(),
                thatFit(reporter.progress()),
                waits.get());
    }

    /** Returns the first batches that fit into a frame; the others follow when these are complete. */
    private static List<BatchProgress> thatFit(List<BatchProgress> all) {
        int bytes = 0;
        for (int i = 0; i < all.size(); i++) {
            bytes += all.get(i).complete().encodedSize();
            if (i > 0 && bytes > MembershipRequest.MAX_BYTES) {
                return all.subList(0, i);
            }
        }
        return all;
    }

    /**
     * Asks all present members, this one included.
     *
     * @param state names the members
     * @return completes within 2 seconds with the reports of those that have answered, by their numbers; never fails
     */
    public CompletableFuture<Map<Integer, Reported>> ask(ClusterState state) {
        return ask(state, state.members().all());
    }

    /**
     * Asks some members.
     *
     * @param state the state of the members
     * @param members those that are not present are left out
     * @return as {@link #ask(ClusterState)}
     */
    public CompletableFuture<Map<Integer, Reported>> ask(ClusterState state, List<Member> members) {
        Map<Integer, Reported> reports = new ConcurrentHashMap<>();
        CompletableFuture<?>[] answers = members.stream()
                .filter(member -> member.lifecycle().isPresent())
                .map(member -> report(state, member)
                        .handle((report, error) -> error == null ? reports.put(member.number(), report) : null))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(answers).thenApply(done -> Map.copyOf(reports));
    }

    /**
     * Asks a member.
     *
     * @param state the state of the member, which is present
     * @param member perhaps this node itself
     * @return its report; fails if it does not answer, or is another incarnation
     */
    public CompletableFuture<Reported> report(ClusterState state, Member member) {
        if (member.is(incarnation)) {
            return CompletableFuture.completedFuture(own());
        }
        Node node = MemberDirectory.node(member).orElseThrow();
        return requests.ask(node, new MembershipRequest.Report(state.cluster(), epoch.getAsLong()), Reported.class)
                .thenApply(report -> {
                    if (!member.is(report.incarnation())) {
                        throw DhtException.of(
                                ErrorCode.WRONG_RECIPIENT, node.id() + " answers with another data directory");
                    }
                    return report;
                });
    }

    /** Returns how long a node has not answered; empty if it answers, or was sent no request. */
    public Optional<Duration> silence(NodeId node) {
        return requests.silence().of(node);
    }

    /** Returns the address of a member at which a node of another cluster answers; empty if none does. */
    public Optional<String> foreign(NodeId node) {
        return requests.foreign().at(node);
    }
}
