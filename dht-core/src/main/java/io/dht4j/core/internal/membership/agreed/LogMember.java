package io.dht4j.core.internal.membership.agreed;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.agreed.formation.Founders;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes.LogMembership;
import io.dht4j.core.internal.membership.agreed.log.CommandLog;
import io.dht4j.core.internal.membership.agreed.log.LogMessages;
import io.dht4j.core.internal.membership.agreed.log.ReplicatedState;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.LogMembers;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The participation of a node in the topology log. A node opens its log when it is a founder that votes, or when an
 * installed state names it as a voter; before, it stores its identity in the log. A voter that the state no longer
 * names takes part until the log has removed it, also after a restart. The next generation has a log of its own.
 *
 * <p>A member whose log has become empty does not start: it may have cast votes and confirmed commands that are lost.
 * The log is opened before the note is stored, and leaves a trace of that, so an interrupted start can be repeated. For
 * the same reason a member does not vote if its log ends before its applied index; it serves with its installed state.
 * The note contains the applied index, and is stored before each state that is installed.
 *
 * <p>Safe for use by any number of threads. Methods that open or close a log block; they are for store threads.
 */
final class LogMember {

    private static final Logger LOG = LoggerFactory.getLogger(LogMember.class);

    private static final Duration RETRY = Duration.ofSeconds(10);

    private final NodeId self;
    private final TopologyLogFactory factory;
    private final Environment environment;
    private final NodeNotes notes;
    /** Appends commands, here or at the leader. */
    final CommandLog commands;
    /** Carries the messages of the log. */
    final LogMessages messages;

    private final Supplier<ReplicatedState> states;

    /** Serializes the opening and closing of the log. */
    private final Object opening = new Object();

    /** The state that was followed last. Guarded by this. */
    private @Nullable ClusterState last;

    /** Whether this node is to take part as before its restart, but could not yet. Guarded by this. */
    private boolean resumes;

    private volatile @Nullable Open open;
    private volatile boolean closed;
    /** Why this node takes no part although it should, for people; empty if it does. */
    private volatile String trouble = "";

    /**
     * An open log.
     *
     * @param self this node as a member
     * @param begun the epoch at which its group began
     * @param log the log
     * @param state the state machine behind it
     */
    record Open(NodeRef self, long begun, TopologyLog log, ReplicatedState state) {}

    /** The log of a node that has taken part in it is empty. */
    private static final class LostLogException extends IllegalStateException {

        private static final long serialVersionUID = 1;

        LostLogException(String message) {
            super(message);
        }
    }

    /** The log of a node has lost its end. */
    private static final class ShortLogException extends IllegalStateException {

        private static final long serialVersionUID = 1;

        ShortLogException(String message) {
            super(message);
        }
    }

    /**
     * Creates the participation of a node that takes no part yet.
     *
     * @param self the name of the node
     * @param factory opens logs
     * @param environment threads and timers
     * @param notes stores the node's identity in the log
     * @param requests sends requests to other members
     * @param members the present members
     * @param states creates the state machine of a log
     */
    LogMember(
            NodeId self,
            TopologyLogFactory factory,
            Environment environment,
            NodeNotes notes,
            MembershipRequestSender requests,
            MemberDirectory members,
            Supplier<ReplicatedState> states) {
        this.self = self;
        this.factory = factory;
        this.environment = environment;
        this.notes = notes;
        this.commands = new CommandLog(requests, environment, members::voters, members::node, members::incarnation);
        this.messages = new LogMessages(requests, members::node, members::node, this::ref, this::received, (int)
                environment.currentTimeMillis());
        this.states = states;
    }

    /** Returns the open log; empty if this node takes no part. */
    Optional<Open> current() {
        return closed ? Optional.empty() : Optional.ofNullable(open);
    }

    boolean leads() {
        return current().map(now -> now.log().leads()).orElse(false);
    }

    /** Returns this node as a member of the log. */
    Optional<NodeRef> ref() {
        return current().map(Open::self);
    }

    /** Returns the newest state that was applied here; empty if there is none. */
    Optional<ClusterState> state() {
        return current().flatMap(now -> now.state().state());
    }

    /** Returns why this node takes no part although it should; empty if it does. */
    Optional<String> trouble() {
        return Optional.of(trouble).filter(text -> !text.isEmpty());
    }

    private void received(NodeRef from, byte[] message) {
        current().ifPresent(now -> now.log().received(from, message));
    }

    /** Takes part as a founder, if the node is one that votes. Blocks. */
    void found(Founders founders) {
        List<NodeRef> first = founders.voterRefs();
        first.stream()
                .filter(ref -> ref.name().equals(self))
                .findFirst()
                .ifPresent(ref -> open(ref, Epoch.FIRST, first));
    }

    /**
     * Takes part as before a restart, if the installed state no longer names this node as a voter and the group is
     * still the same. Blocks.
     */
    synchronized void resume(ClusterState state, Member member) {
        resumes = false;
        if (LogMembers.voter(state, member).isPresent() || current().isPresent()) {
            return;
        }
        try {
            notes.logMembership()
                    .filter(noted -> noted.begun() == state.members().group().begun())
                    .ifPresentOrElse(
                            noted -> open(new NodeRef(self, noted.id()), noted.begun(), noted.first()),
                            // Of a group that has ended since this node could not take part in it.
                            () -> trouble = "");
        } catch (LostLogException | ShortLogException e) {
            troubled("until it is started again", MembershipRequestSender.message(e));
        } catch (RuntimeException | Error e) {
            // The others may need its vote until the log has removed it.
            resumes = true;
            troubledForNow(e);
            environment.schedule(() -> onStore(() -> resumeAgain(state, member)), RETRY.toNanos());
        }
    }

    private synchronized void resumeAgain(ClusterState state, Member member) {
        ClusterState newest = last;
        resume(newest == null ? state : newest, member);
    }

    private void troubledForNow(Throwable why) {
        troubled("and tries again every " + RETRY.toSeconds() + " s", why);
    }

    private void troubled(String until, Throwable why) {
        LOG.debug("node {} takes no part in changes of the topology", self, why);
        troubled(until, why instanceof StoreException ? MembershipRequestSender.message(why) : why.toString());
    }

    /** Reports why this node takes no part, once while the reason stays the same. */
    private void troubled(String until, String why) {
        String text = self + " to take part in changes of the topology, which it does not " + until + ": " + why;
        if (!text.equals(trouble)) {
            LOG.error("node {} takes no part in changes of the topology {}: {}", self, until, why);
        }
        trouble = text;
    }

    /**
     * Opens or closes the log according to an installed state. Blocks.
     *
     * @throws IllegalStateException if the log is lost; then the start fails
     */
    synchronized void follow(ClusterState state, Member member) {
        last = state;
        try {
            long begun = state.members().group().begun();
            Optional<NodeRef> wanted = LogMembers.voter(state, member);
            Open now = open;
            if (now != null && now.begun() != begun) {
                LOG.info("node {} no longer takes part in the log of an earlier generation", self);
                end();
                now = null;
            }
            if (wanted.isEmpty()) {
                trouble = resumes ? trouble : "";
            } else if (now == null || !now.self().equals(wanted.get())) {
                end();
                open(wanted.get(), begun, LogMembers.first(state));
            }
        } catch (LostLogException e) {
            throw e;
        } catch (ShortLogException e) {
            troubled("until it is started again", MembershipRequestSender.message(e));
        } catch (RuntimeException | Error e) {
            // The node serves with the installed state: reads and writes do not need the log.
            troubledForNow(e);
            environment.schedule(() -> onStore(() -> followAgain(state, member)), RETRY.toNanos());
        }
    }

    private synchronized void followAgain(ClusterState state, Member member) {
        if (last == null || last.epoch() != state.epoch()) {
            return;
        }
        try {
            follow(state, member);
        } catch (LostLogException e) {
            troubled("until it is started again", MembershipRequestSender.message(e));
        }
    }

    private void onStore(Runnable task) {
        try {
            environment.storeExecutor().execute(() -> {
                if (!closed) {
                    task.run();
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("node {} has no room for a task, or is closed", self, e);
            if (!closed) {
                environment.schedule(() -> onStore(task), RETRY.toNanos());
            }
        }
    }

    private void open(NodeRef own, long begun, List<NodeRef> first) {
        synchronized (opening) {
            if (closed || open != null) {
                return;
            }
            TopologyLog opened = factory.open(own, first, environment);
            boolean started = false;
            try {
                note(opened, new LogMembership(own.incarnation(), begun, first, 0));
                ReplicatedState state = states.get();
                open = new Open(own, begun, opened, state);
                commands.member(opened, state);
                trouble = "";
                opened.failure().thenAccept(why -> failed(opened, why));
                opened.start(state, messages);
                started = true;
            } finally {
                if (!started) {
                    end();
                    opened.close();
                }
            }
        }
    }

    private void failed(TopologyLog log, String why) {
        if (current().filter(now -> now.log() == log).isPresent()) {
            troubled("until it is started again", why);
        }
    }

    /** Stores this node's identity in the log, before the log first starts. */
    private void note(TopologyLog opened, LogMembership membership) {
        Optional<LogMembership> before =
                notes.logMembership().filter(noted -> noted.id().equals(membership.id()));
        if (before.isPresent() && opened.isNew()) {
            throw new LostLogException("the topology log of node " + self + " is empty, although the node has taken"
                    + " part in the agreement: restore the directory of the log as it was when the node stopped. If it"
                    + " is lost, start " + self + " with an empty data directory and " + Remedies.replace(self));
        }
        long applied = before.map(LogMembership::applied).orElse(0L);
        if (opened.durableIndex() < applied) {
            // Short, since the reports to other members contain it.
            throw new ShortLogException("its topology log ends at index " + opened.durableIndex()
                    + ", and it has applied index " + applied + ": restore the log, or " + Remedies.replace(self)
                    + ", or, without other voters, use MembershipChange.Recover");
        }
        LogMembership noted = membership.appliedTo(applied);
        if (!before.equals(Optional.of(noted))) {
            notes.keep(noted);
        }
    }

    /**
     * Stores the applied index of this member. Called before a state is stored, of the log or of another node. Blocks.
     *
     * @throws StoreException if the note cannot be stored
     */
    void noteApplied() {
        synchronized (opening) {
            Open now = open;
            if (now == null) {
                return;
            }
            // A leader may apply an entry that the others have on their disks before it is on its own disk.
            long index = Math.min(now.state().applied(), now.log().durableIndex());
            notes.logMembership()
                    .filter(noted -> noted.id().equals(now.self().incarnation()) && noted.applied() < index)
                    .ifPresent(noted -> notes.keep(noted.appliedTo(index)));
        }
    }

    /** Works as {@link #noteApplied}, on a store thread. After a failure, the next state repeats it. */
    void noteAppliedLater() {
        onStore(() -> {
            try {
                noteApplied();
            } catch (StoreException e) {
                LOG.debug("node {} cannot note how far it has applied its log", self, e);
            }
        });
    }

    private void end() {
        synchronized (opening) {
            Open now = open;
            open = null;
            commands.noMember();
            if (now != null) {
                now.log().close();
            }
        }
    }

    /** Ends the participation of this node. Blocks for a short time, or until a log that is being opened is open. */
    void close() {
        closed = true;
        synchronized (opening) {
            Open now = open;
            if (now != null) {
                now.log().close();
            }
        }
    }
}
