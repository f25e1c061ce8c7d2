package io.dht4j.core.internal.membership.agreed.formation;

import static java.util.Objects.requireNonNull;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.agreed.formation.FoundersCodec.MalformedListException;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.wire.MembershipReply.Founder;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Forms a cluster with the other nodes of a list, unanimously. Each node asks all others for their incarnations and
 * stored lists every second. Once all have answered, the first node of the list creates the list of founders, and
 * stores it; the others store it when an answer contains it. Only then does a node take part in the log, and send the
 * list. So a list that two nodes have is the only one: another first node, or the same one after a crash, gets it from
 * a node that has stored it.
 *
 * <p>A node that belongs to a cluster ends the formation: this node is a member of that cluster with its present
 * incarnation, or the start fails.
 *
 * <p>One round of questions runs at a time. Safe for use by any number of threads.
 */
public final class Bootstrap {

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int MOST_NAMED = 10;

    private final NodeId self;
    private final UUID incarnation;
    private final Proposal proposal;
    private final MembershipRequestSender requests;
    private final Environment environment;
    private final StartWait wait;
    private final Consumer<Founders> storing;
    private final Function<Node, CompletableFuture<Optional<ClusterState>>> fetching;
    private final Function<ClusterState, CompletableFuture<ClusterState>> installing;
    private final List<Node> others;
    private volatile @Nullable Founders founders;

    /**
     * Creates a formation that has not begun.
     *
     * @param self this node
     * @param incarnation its stored incarnation
     * @param proposal the nodes and settings
     * @param stored the list that this node has stored before; empty if it has none
     * @param requests sends requests
     * @param environment random numbers, timers and store threads
     * @param fetching fetches the state of a node
     * @param installing installs a state
     * @param wait ends when this node has a state
     * @param storing stores a list, and then takes part in the log; blocks, called on a store thread
     */
    public Bootstrap(
            NodeId self,
            UUID incarnation,
            Proposal proposal,
            Optional<Founders> stored,
            MembershipRequestSender requests,
            Environment environment,
            Function<Node, CompletableFuture<Optional<ClusterState>>> fetching,
            Function<ClusterState, CompletableFuture<ClusterState>> installing,
            StartWait wait,
            Consumer<Founders> storing) {
        this.self = self;
        this.incarnation = incarnation;
        this.proposal = proposal;
        this.requests = requests;
        this.environment = environment;
        this.fetching = fetching;
        this.installing = installing;
        this.wait = wait;
        this.storing = storing;
        this.founders = stored.orElse(null);
        this.others = proposal.founders().stream()
                .filter(node -> !node.id().equals(self))
                .toList();
    }

    /** Returns whether a name is that of a founder. */
    public boolean isFounder(String name) {
        return proposal.founders().stream().anyMatch(node -> node.id().value().equals(name));
    }

    /** Returns the stored list; empty if there is none. */
    public Optional<Founders> founders() {
        return Optional.ofNullable(founders);
    }

    /**
     * Compares the proposal of another node with this node's.
     *
     * @return why this node does not form a cluster with the sender; empty if it does
     */
    public String refusal(NodeId sender, byte[] bytes) {
        try {
            return FoundersCodec.proposal(bytes).differences(proposal, sender.value(), self.value());
        } catch (MalformedListException e) {
            return "the proposal of " + sender + " cannot be read: " + MembershipRequestSender.message(e);
        }
    }

    /** Begins to ask. */
    public void start() {
        round();
    }

    private void round() {
        if (wait.isOver()) {
            return;
        }
        byte[] encoded = FoundersCodec.encode(proposal);
        Map<Node, CompletableFuture<Founder>> answers = new LinkedHashMap<>();
        for (Node node : others) {
            answers.put(node, requests.ask(node, new MembershipRequest.Found(encoded), Founder.class));
        }
        CompletableFuture.allOf(answers.values().toArray(CompletableFuture<?>[]::new))
                .handle((all, error) -> {
                    try {
                        answered(answers);
                    } catch (RuntimeException | Error e) {
                        wait.fail("node " + self + " cannot form the cluster: " + e);
                    }
                    return error == null;
                });
    }

    private void answered(Map<Node, CompletableFuture<Founder>> answers) {
        Map<Node, Founder> present = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        for (Map.Entry<Node, CompletableFuture<Founder>> answer : answers.entrySet()) {
            NodeId name = answer.getKey().id();
            if (answer.getValue().isCompletedExceptionally()) {
                missing.add(name + " (" + MembershipRequestSender.message(failureOf(answer.getValue())) + ")");
                continue;
            }
            Founder founder = answer.getValue().join();
            if (!founder.refusal().isEmpty()) {
                wait.fail(founder.refusal());
                return;
            }
            present.put(answer.getKey(), founder);
        }
        // Of nodes with a state, those with the list come first: a voter needs it, to take part in the log.
        Optional<Map.Entry<Node, Founder>> member = present.entrySet().stream()
                .filter(answer -> answer.getValue().cluster().isPresent())
                .max(Comparator.comparing(answer -> answer.getValue().founders().length > 0));
        if (member.isPresent()) {
            enter(member.get().getKey(), member.get().getValue().founders());
        } else if (founders != null) {
            wait.on("node " + self + " waits until the cluster " + founders.cluster() + " is formed by its voters"
                    + missing(missing));
            again();
        } else {
            agree(present, missing);
        }
    }

    private static Throwable failureOf(CompletableFuture<?> failed) {
        return failed.handle((result, error) -> DhtException.unwrap(error)).join();
    }

    private static String missing(List<String> missing) {
        int more = missing.size() - MOST_NAMED;
        return missing.isEmpty()
                ? ""
                : ", and for " + String.join(", ", missing.subList(0, Math.min(MOST_NAMED, missing.size())))
                        + (more > 0 ? " and " + more + " more" : "");
    }

    /** Becomes a member of the cluster of another node, which knows this node's incarnation. */
    private void enter(Node member, byte[] list) {
        fetching.apply(member)
                .thenCompose(fetched -> fetched.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : enter(member, list, fetched.get()))
                .whenComplete((storing, error) -> {
                    if (error != null) {
                        wait.on("node " + self + " waits for the agreed state of " + member.id() + " ("
                                + MembershipRequestSender.message(DhtException.unwrap(error)) + ")");
                    }
                    if (error != null || !storing) {
                        again();
                    }
                });
    }

    /** Returns whether the list of founders is stored first; then the next round begins. */
    private CompletableFuture<Boolean> enter(Node member, byte[] list, ClusterState state) {
        String problem = problem(member, state);
        if (!problem.isEmpty()) {
            wait.fail(problem);
        } else if (founders == null && list.length > 0) {
            adopt(member, list);
            return CompletableFuture.completedFuture(true);
        } else {
            return installing.apply(state).thenApply(installed -> false);
        }
        return CompletableFuture.completedFuture(false);
    }

    private String problem(Node other, ClusterState state) {
        Optional<Member> known = state.members().incarnation(incarnation);
        if (known.isPresent() && known.get().name().equals(self)) {
            return "";
        }
        String belongs = other.id() + " belongs to the cluster " + state.cluster();
        String join = "start it with Membership.join of " + other.id() + "=" + other.address()
                + " in place of Membership.bootstrap";
        Optional<Member> holder = state.members().named(self);
        if (holder.isEmpty()) {
            return belongs + ", which has no node " + self + ": correct the list of Membership.bootstrap, or "
                    + Remedies.add(self) + " and " + join;
        }
        return switch (holder.get().lifecycle()) {
            case ADMITTED -> belongs + ", to which " + self + " was added: " + join;
            case DEAD -> belongs + ", in which a node is to take the place of " + self + ": " + join;
            default ->
                belongs + ", in which " + self + " has another data directory: start " + self
                        + " with that directory, or choose another NodeId; if it is lost, " + Remedies.replace(self)
                        + " and " + join;
        };
    }

    private void agree(Map<Node, Founder> present, List<String> missing) {
        for (Map.Entry<Node, Founder> answer : present.entrySet()) {
            if (answer.getValue().founders().length > 0) {
                adopt(answer.getKey(), answer.getValue().founders());
                return;
            }
        }
        boolean first = proposal.founders().get(0).id().equals(self);
        if (!missing.isEmpty()) {
            wait.on("node " + self + " forms a cluster with the nodes " + proposal.list() + ", and waits for "
                    + missing(missing).substring(", and for ".length()));
            again();
        } else if (!first) {
            wait.on("node " + self + " forms a cluster, and waits for "
                    + proposal.founders().get(0).id() + ", the first node of the list");
            again();
        } else {
            found(present);
        }
    }

    private void found(Map<Node, Founder> present) {
        List<UUID> incarnations = new ArrayList<>();
        for (Node node : proposal.founders()) {
            incarnations.add(
                    node.id().equals(self)
                            ? incarnation
                            : requireNonNull(present.get(node)).incarnation());
        }
        UUID cluster =
                new UUID(environment.random().nextLong(), environment.random().nextLong());
        store(new Founders(cluster, proposal, incarnations));
    }

    private void adopt(Node from, byte[] encoded) {
        Founders shown;
        try {
            shown = FoundersCodec.founders(encoded);
        } catch (MalformedListException e) {
            wait.fail("the list of founders that " + from.id() + " has stored cannot be read: " + e.getMessage());
            return;
        }
        String differences = shown.proposal().differences(proposal, from.id().value(), self.value());
        if (!differences.isEmpty()) {
            wait.fail(differences);
        } else if (!shown.incarnation(self).equals(Optional.of(incarnation))) {
            wait.fail(from.id() + " forms the cluster " + shown.cluster() + ", in which " + self
                    + " has another data directory: start " + self
                    + " with that directory. If it is lost, and the cluster has never served, begin again with empty"
                    + " directories at all its nodes; else " + Remedies.replace(self));
        } else {
            store(shown);
        }
    }

    private void store(Founders list) {
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    storing.accept(list);
                    founders = list;
                    again();
                } catch (RuntimeException | Error e) {
                    wait.fail("node " + self + " cannot take part in the cluster " + list.cluster() + ": "
                            + MembershipRequestSender.message(e));
                }
            });
        } catch (RejectedExecutionException e) {
            wait.fail("node " + self + " is closed");
        }
    }

    private void again() {
        if (!wait.isOver()) {
            environment.schedule(this::round, INTERVAL.toNanos());
        }
    }
}
