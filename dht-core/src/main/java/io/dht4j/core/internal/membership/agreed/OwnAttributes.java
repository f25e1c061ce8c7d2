package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Attributes;
import io.dht4j.spi.Environment;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the attributes that a node was started with, if they differ from the agreed ones: after each start, and again
 * every ten seconds until they are agreed. Does not block.
 */
final class OwnAttributes {

    private static final Logger LOG = LoggerFactory.getLogger(OwnAttributes.class);

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Membership options;
    private final UUID incarnation;
    private final Supplier<Optional<ClusterState>> state;
    private final StateChanges changes;
    private final Environment environment;
    private volatile boolean closed;

    /**
     * Creates the attributes of a node.
     *
     * @param options the options of the node's start
     * @param incarnation its stored incarnation
     * @param state returns the installed state
     * @param changes changes the state
     * @param environment timers
     */
    OwnAttributes(
            Membership options,
            UUID incarnation,
            Supplier<Optional<ClusterState>> state,
            StateChanges changes,
            Environment environment) {
        this.options = options;
        this.incarnation = incarnation;
        this.state = state;
        this.changes = changes;
        this.environment = environment;
    }

    /** Returns the attributes that a node joins with. */
    static MemberAttributes of(Membership options) {
        return merged(
                options.attributes(),
                MemberAttributes.of(options.self().address())
                        .withWeight(options.self().weight()));
    }

    private static MemberAttributes merged(Attributes given, MemberAttributes agreed) {
        return new MemberAttributes(
                agreed.address(),
                given.publicAddresses().orElse(agreed.publicAddresses()),
                given.weight().orElse(agreed.weight()),
                given.zone().orElse(agreed.zone()));
    }

    /** Begins to compare, since the node serves. */
    void start() {
        own(state.get()).ifPresent(member -> {
            String address = options.self().address();
            if (!member.details().address().equals(address)) {
                LOG.warn(
                        "node {} was started at {}, and the cluster knows it at {}: call"
                                + " membership().change with a MembershipChange.Update of {} to the address {}",
                        member.name(),
                        address,
                        member.details().address(),
                        member.name(),
                        address);
            }
        });
        compare();
    }

    private Optional<Member> own(Optional<ClusterState> in) {
        return in.flatMap(known -> known.members().incarnation(incarnation))
                .filter(member -> member.lifecycle().isPresent());
    }

    private boolean isAgreed() {
        return own(state.get())
                .map(Member::details)
                .map(agreed -> merged(options.attributes(), agreed).equals(agreed))
                .orElse(true);
    }

    private void compare() {
        if (closed || isAgreed()) {
            return;
        }
        changes.change(newest -> {
                    Member member = own(Optional.of(newest))
                            .orElseThrow(
                                    () -> DhtException.of(ErrorCode.NOT_SERVING, "this node is no member any more"));
                    return Optional.of(new Command.ChangeAttributes(
                            newest.epoch(), member.number(), merged(options.attributes(), member.details())));
                })
                .whenComplete((epoch, error) -> {
                    if (error != null) {
                        LOG.warn(
                                "the cluster does not know yet what this node was started with: {}",
                                MembershipRequestSender.message(DhtException.unwrap(error)));
                        environment.schedule(this::compare, INTERVAL_NANOS);
                    }
                });
    }

    void close() {
        closed = true;
    }
}
