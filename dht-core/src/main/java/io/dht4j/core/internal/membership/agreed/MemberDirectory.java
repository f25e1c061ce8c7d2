package io.dht4j.core.internal.membership.agreed;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.formation.Founders;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.spi.NodeRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Looks up the other members in the newest state that this node has. Does not block; safe for use by any number of
 * threads.
 */
final class MemberDirectory {

    private final UUID own;
    private final Supplier<Optional<ClusterState>> newest;
    private final Supplier<Optional<Founders>> founders;

    /**
     * Creates a directory.
     *
     * @param own the incarnation of this node
     * @param newest returns the newest state; empty before the first one
     * @param founders returns the list of founders, which is used before the first state
     */
    MemberDirectory(UUID own, Supplier<Optional<ClusterState>> newest, Supplier<Optional<Founders>> founders) {
        this.own = own;
        this.newest = newest;
        this.founders = founders;
    }

    /** Returns the newest state that this node has installed, or applied as a member of the log. */
    Optional<ClusterState> state() {
        return newest.get();
    }

    /** Returns whether this node is present in a state: neither removed nor declared dead. */
    boolean isPresentIn(ClusterState state) {
        return state.members()
                .incarnation(own)
                .filter(member -> member.lifecycle().isPresent())
                .isPresent();
    }

    /** Returns the other present members. */
    List<Node> others() {
        return nodes(state().stream().flatMap(state -> state.members().all().stream()));
    }

    /** Returns the other voters. */
    List<Node> voters() {
        return nodes(state().stream()
                .flatMap(state -> state.members().voters().stream()
                        .map(number -> state.members().get(number))));
    }

    private List<Node> nodes(Stream<Member> members) {
        return members.filter(member -> !member.is(own))
                .flatMap(member -> node(member).stream())
                .toList();
    }

    /** Returns the node with an incarnation; empty if it is not present. */
    Optional<Node> node(UUID incarnation) {
        Optional<ClusterState> state = state();
        return state.isPresent()
                ? state.get().members().incarnation(incarnation).flatMap(MemberDirectory::node)
                : founders.get().flatMap(list -> list.node(incarnation));
    }

    /** Returns the present node of a name; before there is a state, the founder. */
    Optional<Node> node(NodeId name) {
        Optional<ClusterState> state = state();
        return state.isPresent()
                ? state.get().members().named(name).flatMap(MemberDirectory::node)
                : founders.get().flatMap(list -> list.node(name));
    }

    /** Returns the incarnation of the member of the log, which may have another identity there. */
    Optional<UUID> incarnation(NodeRef ref) {
        Optional<ClusterState> state = state();
        return state.isPresent()
                ? state.get().members().named(ref.name()).flatMap(Member::incarnation)
                : Optional.of(ref.incarnation());
    }

    /** Returns a member as a node; empty if it is not present. */
    static Optional<Node> node(Member member) {
        return member.lifecycle().isPresent()
                ? member.attributes().map(details -> new Node(member.name(), details.address(), details.weight()))
                : Optional.empty();
    }

    /** Returns the client addresses of the present members that have published them. */
    static Map<NodeId, List<String>> publicAddresses(ClusterState state) {
        Map<NodeId, List<String>> addresses = new HashMap<>();
        state.members().all().stream()
                .filter(member -> member.lifecycle().isPresent()
                        && !member.details().publicAddresses().isEmpty())
                .forEach(member -> addresses.put(member.name(), member.details().publicAddresses()));
        return addresses;
    }
}
