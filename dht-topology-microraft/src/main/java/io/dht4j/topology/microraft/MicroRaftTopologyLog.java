package io.dht4j.topology.microraft;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogException.Outcome;
import io.dht4j.store.disk.Disk;
import io.dht4j.topology.microraft.internal.codec.Malformed;
import io.dht4j.topology.microraft.internal.codec.Messages;
import io.dht4j.topology.microraft.internal.codec.RaftMember;
import io.dht4j.topology.microraft.internal.log.RaftLogFiles;
import io.microraft.RaftEndpoint;
import io.microraft.RaftNode;
import io.microraft.exception.CannotReplicateException;
import io.microraft.exception.NotLeaderException;
import io.microraft.impl.RaftNodeImpl;
import io.microraft.model.message.RaftMessage;
import io.microraft.report.RaftNodeReport;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agreement of the topology by Raft, with MicroRaft.
 *
 * <p>Everything runs in one lane on the store threads of the environment; there are no other threads, and time is the
 * monotonic time of the environment. Raft's persistent state is in a log of its own, see {@link MicroRaftOptions}, and
 * forced to the disk before others hear of it.
 *
 * <p>This class works around errors of MicroRaft 0.7:
 *
 * <ul>
 *   <li>It logs a failed flush and continues. After a failure of the disk no message leaves this member, and no task
 *       runs.
 *   <li>It accepts answers of earlier terms as answers to the present leader. They are dropped.
 *   <li>A follower that has restarted on a snapshot does not find the entry before those that it is sent, and stays
 *       behind forever. Such requests are shortened to the entries after the snapshot.
 *   <li>A follower replaces its log by a snapshot although it has all of its entries, and forgets a change of members
 *       behind them; it does not answer a snapshot older than its own. Both get the answer that they imply: up to the
 *       snapshot the logs are equal.
 *   <li>A snapshot leaves entries that were never agreed behind it, and with assertions enabled a change of members
 *       among them stops the follower. They are cut before.
 *   <li>A follower that asked for votes before it heard of the term's leader never asks again in this term, so a group
 *       whose followers have restarted stays without a leader. It is reminded.
 *   <li>It cannot start on a disk without a term.
 * </ul>
 *
 * <p>While the number of members is even, during a change, half of them suffice for an append and more than half for an
 * election.
 */
public final class MicroRaftTopologyLog implements TopologyLog {

    private static final Logger LOG = LoggerFactory.getLogger(MicroRaftTopologyLog.class);

    private static final long SNAPSHOT_BYTES = 16 << 20;

    /** Messages that were received and wait. */
    private static final long MOST_WAITING_BYTES = 8 << 20;

    private final MicroRaftOptions options;
    private final Environment environment;
    private final RaftLogFiles files;
    private final SequentialExecutor lane;
    private final Calls calls;
    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final CompletableFuture<String> failure = new CompletableFuture<>();

    private volatile @Nullable RaftNode raft;
    private volatile boolean leads;

    // Guarded by this.
    private boolean started;
    private boolean closed;

    // Used on the lane.
    private @Nullable MessageExchange exchange;
    private @Nullable Applier applier;
    private boolean snapshotting;
    private @Nullable MemberChange change;

    private MicroRaftTopologyLog(MicroRaftOptions options, Environment environment, RaftLogFiles files) {
        this.options = options;
        this.environment = environment;
        this.files = files;
        this.lane = new SequentialExecutor(environment, this::fail);
        this.calls = new Calls(environment);
    }

    /**
     * Opens the log of one identity of a member. A node has another one each time that it becomes a member:
     * {@link MicroRaftLogs} gives each a directory. Blocks on its files.
     *
     * @param options how it works
     * @param environment gives time, timers, randomness and threads; closed by the caller after this
     * @return a log to start
     * @throws StoreException if the directory cannot be used, is in use, is damaged or another member's; the message
     *     names the file and the way out
     */
    public static MicroRaftTopologyLog open(MicroRaftOptions options, Environment environment) {
        return open(options, environment, Disk.REAL);
    }

    /** With another disk. */
    static MicroRaftTopologyLog open(MicroRaftOptions options, Environment environment, Disk disk) {
        RaftLogFiles files = RaftLogFiles.open(options.directory(), disk, options.self());
        return new MicroRaftTopologyLog(options, environment, files);
    }

    @Override
    public boolean isNew() {
        return files.isNew();
    }

    @Override
    public long durableIndex() {
        return files.durableIndex();
    }

    @Override
    public void start(Applier commands, Wire messages) {
        Objects.requireNonNull(commands, "applier");
        Objects.requireNonNull(messages, "wire");
        synchronized (this) {
            if (started || closed) {
                throw new IllegalStateException(
                        "the topology log of " + options.self() + (closed ? " is closed" : " was started before"));
            }
            started = true;
        }
        files.onFailure(this::fail);
        lane.submit(() -> {
            try {
                startEngine(commands, messages);
            } catch (RuntimeException e) {
                startFailed(e);
            }
        });
    }

    private void startEngine(Applier commands, Wire messages) {
        MessageExchange sending = new MessageExchange(files, lane, messages, this::fail);
        exchange = sending;
        applier = commands;
        AppliedCommands applied = new AppliedCommands(commands, this::term, this::newTerm, this::fail);
        RaftNode node = Engine.create(options, environment, lane, files, sending, applied, this::reported);
        raft = node;
        lane.directly(() -> node.start().whenComplete((done, thrown) -> {
            if (thrown != null) {
                startFailed(thrown);
            } else {
                Engine.remind((RaftNodeImpl) node, lane, options.heartbeatSeconds());
            }
        }));
    }

    private void startFailed(Throwable why) {
        fail("the topology log of " + options.self() + " could not start (" + why
                + "): start this node again, and report the fault");
    }

    private int term() {
        RaftNode node = raft;
        return node == null ? 0 : node.getTerm().getTerm();
    }

    /** All entries before the beginning of a term are applied. */
    private void newTerm(int term) {
        if (isElected() && term == term()) {
            setLeads(true);
        }
    }

    private boolean isElected() {
        RaftNode node = raft;
        return node != null
                && new RaftMember(options.self()).equals(node.getTerm().getLeaderEndpoint());
    }

    private void reported(RaftNodeReport report) {
        if (leads && !isElected()) {
            setLeads(false);
        }
    }

    private void setLeads(boolean now) {
        if (leads == now || lane.isStopped()) {
            return;
        }
        leads = now;
        Applier receiver = applier;
        if (receiver != null) {
            try {
                receiver.leadershipChanged(now);
            } catch (RuntimeException e) {
                fail("the topology could not take note of a new leader (" + e + "): start this node again");
            }
        }
    }

    @Override
    public void received(NodeRef from, byte[] message) {
        RaftMessage decoded;
        try {
            decoded = Messages.decode(options.self(), from, message);
        } catch (Malformed e) {
            malformed.incrementAndGet();
            LOG.debug("a message from {} is dropped: {}", from, e.getMessage());
            return;
        }
        // One that finds no room is lost like any other: Raft repeats it.
        int bytes = message.length;
        boolean room = waitingBytes.addAndGet(bytes) <= MOST_WAITING_BYTES
                && lane.offer(() -> {
                    waitingBytes.addAndGet(-bytes);
                    handle(decoded);
                });
        if (!room) {
            waitingBytes.addAndGet(-bytes);
        }
    }

    private void handle(RaftMessage message) {
        RaftNode node = raft;
        MessageExchange messages = exchange;
        if (node != null && messages != null) {
            messages.handle(node, message);
            afterTask();
        }
    }

    /** Replaces a log of large commands by a snapshot. */
    private void afterTask() {
        RaftNode node = raft;
        if (node != null && !snapshotting && files.bytesSinceSnapshot() > SNAPSHOT_BYTES && !files.isPoisoned()) {
            snapshotting = true;
            node.takeSnapshot().whenComplete((report, thrown) -> snapshotting = false);
        }
    }

    @Override
    public CompletionStage<Long> append(byte[] command, CallContext context) {
        if (command.length > MAX_COMMAND_BYTES) {
            throw new IllegalArgumentException(
                    "a command has up to " + MAX_COMMAND_BYTES + " bytes, not " + command.length);
        }
        Calls.Call<Long> call = calls.begin("the append of a command to the topology log", context);
        submit(call, node -> {
            if (!call.begin()) {
                return;
            }
            lane.directly(() -> node.replicate(command).whenComplete((appended, thrown) -> {
                if (thrown != null) {
                    appendFailed(call, thrown);
                } else if (lane.isStopped()) {
                    call.end("this member has failed");
                } else {
                    call.complete(appended.getCommitIndex());
                }
            }));
            afterTask();
        });
        return call.future();
    }

    private void appendFailed(Calls.Call<Long> call, Throwable thrown) {
        Throwable why = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (why instanceof NotLeaderException refused) {
            call.fail(Outcome.NOT_LEADER, "this member does not lead", ref(refused.getLeader()));
        } else if (why instanceof CannotReplicateException) {
            call.fail(
                    Outcome.NOT_SENT,
                    "the leader takes no more commands now, because others wait for agreement or the leadership is"
                            + " handed over",
                    null);
        } else {
            call.end("this member does not lead any more");
        }
    }

    private static @Nullable NodeRef ref(@Nullable RaftEndpoint member) {
        return member == null ? null : ((RaftMember) member).ref();
    }

    /** A task for the lane that needs the engine. */
    private interface EngineTask {
        void run(RaftNode node);
    }

    private void submit(Calls.Call<?> call, EngineTask task) {
        boolean accepted = lane.offer(() -> {
            RaftNode node = raft;
            if (call.isDone()) {
                return;
            }
            if (node == null) {
                call.fail(Outcome.NOT_LEADER, "this member has not started", null);
            } else {
                task.run(node);
            }
        });
        if (!accepted) {
            call.end("too many messages and calls wait");
        }
    }

    @Override
    public boolean leads() {
        return leads && isElected();
    }

    @Override
    public Optional<NodeRef> leader() {
        RaftNode node = raft;
        return node == null
                ? Optional.empty()
                : Optional.ofNullable(ref(node.getTerm().getLeaderEndpoint()));
    }

    @Override
    public List<NodeRef> members() {
        RaftNode node = raft;
        return node == null
                ? List.of()
                : RaftMember.refs(node.getCommittedMembers().getVotingMembers());
    }

    @Override
    public CompletionStage<Void> changeMembers(List<NodeRef> wanted, CallContext context) {
        List<NodeRef> list = List.copyOf(wanted);
        MicroRaftOptions.requireMembers("wanted", list);
        Calls.Call<Void> call = calls.begin("the change of the members of the topology log to " + list, context);
        submit(call, node -> {
            MemberChange before = change;
            if (before != null && !before.isDone()) {
                call.fail(Outcome.NOT_SENT, "another change is under way", null);
                return;
            }
            MemberChange next = new MemberChange(
                    node, lane, options.self(), list, TimeUnit.SECONDS.toMillis(options.silenceSeconds()), call);
            change = next;
            next.step();
        });
        return call.future();
    }

    @Override
    public long malformedMessages() {
        return malformed.get();
    }

    @Override
    public CompletionStage<String> failure() {
        return failure.copy();
    }

    /** Ends all tasks except the running one, whose messages are dropped. */
    private void fail(String reason) {
        LOG.error("the topology log of this node has ended: {}", reason);
        leads = false;
        lane.stop();
        calls.end(reason);
        calls.run(() -> failure.complete(reason));
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        lane.stopAndThen(() -> {
            leads = false;
            try {
                files.close();
            } catch (IOException e) {
                LOG.warn("the files of the topology log in {} could not be closed", options.directory(), e);
            }
        });
        calls.end("the topology log is closed");
    }
}
