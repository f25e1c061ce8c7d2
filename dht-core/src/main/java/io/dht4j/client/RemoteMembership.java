package io.dht4j.client;

import static java.util.Objects.requireNonNull;

import io.dht4j.CallOptions;
import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipEvent;
import io.dht4j.MembershipEvent.Kind;
import io.dht4j.MembershipStatus;
import io.dht4j.MembershipStatus.Member;
import io.dht4j.MembershipStatus.Move;
import io.dht4j.RebalancePlan;
import io.dht4j.spi.Environment;
import io.dht4j.spi.RemoteApi;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The membership of a remote cluster. While there are listeners, the status is fetched every ten seconds. */
final class RemoteMembership implements ClusterMembership {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteMembership.class);

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A change waits for its leader; a status for silent nodes. */
    private static final CallOptions PATIENT = CallOptions.defaults().withTimeout(Duration.ofSeconds(60));

    private final RemoteCalls calls;
    private final RemoteApi api;
    private final Environment environment;
    private final List<Registration> registrations = new CopyOnWriteArrayList<>();

    // Guarded by this.
    private boolean watching;
    private boolean closed;
    private @Nullable MembershipStatus seen;

    private static final class Registration {
        private final Consumer<MembershipEvent> listener;

        Registration(Consumer<MembershipEvent> listener) {
            this.listener = listener;
        }
    }

    RemoteMembership(RemoteCalls calls, RemoteApi api, Environment environment) {
        this.calls = calls;
        this.api = api;
        this.environment = environment;
    }

    @Override
    public CompletionStage<MembershipStatus> status() {
        return calls.start(RemoteCall.Kind.READ, PATIENT, api::membership);
    }

    @Override
    public CompletionStage<RebalancePlan> plan() {
        return calls.start(RemoteCall.Kind.READ, PATIENT, api::plan);
    }

    @Override
    public CompletionStage<Long> change(MembershipChange change) {
        requireNonNull(change, "change");
        // A change made twice is harmless, except a number that another operator may have set meanwhile.
        RemoteCall.Kind kind = change instanceof MembershipChange.ReplicationFactor
                ? RemoteCall.Kind.WRITE
                : RemoteCall.Kind.REPEATABLE;
        return calls.start(kind, PATIENT, (address, within) -> api.change(address, change, within));
    }

    @Override
    public Subscription listen(Consumer<MembershipEvent> listener) {
        Registration registration = new Registration(requireNonNull(listener, "listener"));
        registrations.add(registration);
        boolean begin;
        synchronized (this) {
            begin = !watching && !closed;
            watching = true;
        }
        if (begin) {
            watch();
        }
        return () -> registrations.remove(registration);
    }

    private void watch() {
        synchronized (this) {
            if (closed || registrations.isEmpty()) {
                watching = false;
                seen = null;
                return;
            }
        }
        status().whenComplete((status, error) -> {
            if (error == null) {
                report(status);
            } else {
                LOG.debug("the membership cannot be fetched", DhtException.unwrap(error));
            }
            try {
                environment.schedule(this::watch, INTERVAL_NANOS);
            } catch (RuntimeException e) {
                LOG.debug("the client is closed", e);
            }
        });
    }

    private void report(MembershipStatus status) {
        MembershipStatus before;
        synchronized (this) {
            before = seen;
            if (before != null && before.epoch() > status.epoch()) {
                return;
            }
            seen = status;
        }
        if (before != null) {
            between(before, status)
                    .forEach(event -> registrations.forEach(registration -> report(registration, event)));
        }
    }

    private static void report(Registration registration, MembershipEvent event) {
        try {
            registration.listener.accept(event);
        } catch (RuntimeException | Error e) {
            LOG.warn("a listener of the membership has failed", e);
        }
    }

    private static List<MembershipEvent> between(MembershipStatus before, MembershipStatus after) {
        List<MembershipEvent> events = new ArrayList<>();
        Map<Integer, Member> gone = new HashMap<>();
        before.members().forEach(member -> gone.put(member.number(), member));
        for (Member member : after.members()) {
            Optional<Member> known = Optional.ofNullable(gone.remove(member.number()));
            kind(known, member).ifPresent(kind -> events.add(event(kind, member, after)));
        }
        gone.values().forEach(member -> events.add(event(Kind.NODE_LEFT, member, after)));
        moves(before, after).forEach(move -> events.add(event(Kind.MOVE_ENDED, move, after)));
        moves(after, before).forEach(move -> events.add(event(Kind.MOVE_BEGUN, move, after)));
        return events;
    }

    private static Optional<Kind> kind(Optional<Member> known, Member member) {
        if (known.isEmpty() || known.get().state() != member.state()) {
            return Optional.of(
                    switch (member.state()) {
                        case ADMITTED -> Kind.NODE_ADMITTED;
                        case JOINING -> Kind.NODE_JOINED;
                        case SERVING -> Kind.NODE_SERVES;
                        case LEAVING -> Kind.NODE_LEAVING;
                        case DEAD -> Kind.NODE_DEAD;
                    });
        }
        boolean same = known.get().address().equals(member.address())
                && known.get().publicAddresses().equals(member.publicAddresses())
                && known.get().zone().equals(member.zone())
                && known.get().weight() == member.weight();
        return same ? Optional.empty() : Optional.of(Kind.NODE_CHANGED);
    }

    /** Returns the moves of one status that another one does not have. */
    private static List<Move> moves(MembershipStatus of, MembershipStatus without) {
        return of.moves().stream()
                .filter(move -> without.moves().stream().noneMatch(other -> other.batch() == move.batch()))
                .toList();
    }

    private static MembershipEvent event(Kind kind, Member member, MembershipStatus status) {
        return new MembershipEvent(kind, member.name(), member.name(), 0, status.epoch());
    }

    private static MembershipEvent event(Kind kind, Move move, MembershipStatus status) {
        return new MembershipEvent(kind, move.from(), move.to(), move.partitions(), status.epoch());
    }

    synchronized void close() {
        closed = true;
    }
}
