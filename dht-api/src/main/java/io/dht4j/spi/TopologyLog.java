package io.dht4j.spi;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The agreement of a cluster about its topology: a replicated log of commands, which every member applies in the same
 * order. It carries few and small commands, never the data path.
 *
 * <p><b>Agreement.</b> All members apply the same commands at the same indexes, each index at most once in a life of
 * the member and in ascending order, with gaps for entries of the log's own. A command whose {@link #append} succeeded
 * is never lost as long as a majority of the {@linkplain #members() members} keep their disks, whatever crashes, power
 * failures, and loss, delay, repetition and reordering of messages happen. A command may be applied although its append
 * failed with an {@linkplain TopologyLogException.Outcome#UNKNOWN unknown outcome}.
 *
 * <p><b>Fail-stop.</b> A member whose disk fails, or whose applier throws, does nothing more: it sends no message,
 * applies nothing, fails all calls and completes {@link #failure()}. It recovers by starting again on its disk.
 *
 * <p>What an implementation needs besides, such as the first members, its own {@link NodeRef}, an {@link Environment}
 * and a directory, are options of its creation.
 *
 * <p>Safe for use by any number of threads. No method blocks, except that {@link #close()} waits for a running task.
 * Stages complete on any thread, at the latest when the deadline of their call passes, and not within the call of an
 * applier or wire.
 */
public interface TopologyLog extends AutoCloseable {

    /** The largest command in bytes. */
    int MAX_COMMAND_BYTES = 1 << 20;

    /** The largest snapshot in bytes. */
    int MAX_SNAPSHOT_BYTES = 16 << 20;

    /** The largest message between members in bytes. */
    int MAX_MESSAGE_BYTES = MAX_COMMAND_BYTES + (16 << 10);

    /**
     * The replicated state machine. The log calls it on one lane: never two methods at a time, and each call happens
     * before the next. A method that throws stops this member, because its state then no longer is the agreed one.
     */
    interface Applier {

        /**
         * Applies a command. The new state depends on the state before, the index and the command only.
         *
         * @param index the position in the log, 1 or more; greater than in all earlier calls
         * @param command as appended; must not be changed
         */
        void apply(long index, byte[] command);

        /**
         * Returns the state, from which {@link #restore} makes an equal one.
         *
         * @return up to {@value TopologyLog#MAX_SNAPSHOT_BYTES} bytes, which are not changed afterwards
         */
        byte[] snapshot();

        /**
         * Replaces the state, at a start or when this member is far behind.
         *
         * @param index the position up to which the snapshot has applied the log; greater than in all earlier calls
         * @param snapshot as returned by {@link #snapshot} at some member; must not be changed
         */
        void restore(long index, byte[] snapshot);

        /**
         * Reports that {@link TopologyLog#leads()} has changed. A leader learns of its end by this call, at the latest
         * when it has not heard from a majority for the implementation's time limit; until then another member may lead
         * in a later term. Commands that depend on the state must therefore carry what they expect of it. Not called
         * when the log fails or is closed; it does not lead then.
         *
         * @param leads whether this member leads now
         */
        default void leadershipChanged(boolean leads) {}
    }

    /** Carries messages between members, over the node's transport. */
    @FunctionalInterface
    interface Wire {

        /**
         * Sends a message, which may be lost, delayed, repeated and reordered, but not changed. Neither blocks nor
         * throws; called on the log's lane. The receiving node passes it to {@link TopologyLog#received} of the member
         * of exactly this incarnation, or drops it.
         *
         * @param to the recipient
         * @param message up to {@value TopologyLog#MAX_MESSAGE_BYTES} bytes, which are not changed afterwards
         */
        void send(NodeRef to, byte[] message);
    }

    /**
     * Returns whether this member's disk held nothing of it when the log was opened. Opening a log leaves a durable
     * trace, so this is true at the first opening only. A member that has taken part and finds an empty disk must not
     * start: it may have voted and confirmed commands that it no longer knows.
     *
     * @return always the same
     */
    boolean isNew();

    /**
     * Returns the index up to which this member's disk holds the log: all entries and snapshots up to it are there
     * after a power failure. When the log was just opened, this is where it ends. What the applier has applied may be
     * ahead of it for a short time, and what is not agreed yet may be taken back.
     *
     * @return 0 or more; 0 if there is no entry. The default is {@link Long#MAX_VALUE}, of a log that cannot tell: a
     *     node then does not notice that the end of its log is missing
     */
    default long durableIndex() {
        return Long.MAX_VALUE;
    }

    /**
     * Starts to take part. Called once. The applier is in its initial state; it is given the newest snapshot of this
     * member's disk, if there is one, and then the commands behind it as soon as they are known to be agreed.
     *
     * @param applier the state machine
     * @param wire sends messages to other members
     * @throws IllegalStateException if it was called before, or the log is closed
     */
    void start(Applier applier, Wire wire);

    /**
     * Appends a command. On success the command is durable at so many members that every later leader has it, and this
     * member's applier has applied it: whether the state accepted or refused it is for the applier to tell, by the
     * index.
     *
     * @param command up to {@value #MAX_COMMAND_BYTES} bytes; must not be changed afterwards
     * @param context deadline and cancellation. Neither withdraws a command that is under way
     * @return the index of the command; fails with a {@link TopologyLogException}
     * @throws IllegalArgumentException if the command is too large
     */
    CompletionStage<Long> append(byte[] command, CallContext context);

    /**
     * Returns whether this member leads: it was elected, and its applier has applied everything that was agreed before
     * its election. In each term at most one member leads.
     *
     * @return perhaps no longer true when the caller looks at it
     */
    boolean leads();

    /**
     * Returns the leader, for redirection.
     *
     * @return the leader as this member knows it, perhaps an earlier one; empty if it knows none
     */
    Optional<NodeRef> leader();

    /**
     * Returns the members whose agreement counts, as this member knows them.
     *
     * @return the voting members, sorted; empty before the start
     */
    List<NodeRef> members();

    /**
     * Changes the members, one safe step after the other: a silent member that is not wanted goes first; a new one
     * receives the log before its agreement counts; the other unwanted ones go last. At each step at most one member's
     * agreement begins or ceases to count. May be repeated with the same or another list, also after a failure in the
     * middle. A member that was removed never returns; its node joins again as another incarnation.
     *
     * <p>Only the leader can do so, and only one change at a time. If the leader itself is not wanted, it makes all
     * other steps, hands the leadership over, and fails as <i>not leader</i>: the caller repeats the call there.
     *
     * @param wanted 1, 3, 5 or 7 different members, which are started or will be
     * @param context deadline and cancellation
     * @return complete when exactly these are the members; fails with a {@link TopologyLogException}
     * @throws IllegalArgumentException if their number is another, or one is named twice
     */
    CompletionStage<Void> changeMembers(List<NodeRef> wanted, CallContext context);

    /**
     * Takes a message of another member. Messages of unknown senders and malformed ones are dropped; the latter are
     * {@linkplain #malformedMessages() counted}. Never throws.
     *
     * @param from the sender, as authenticated by the node
     * @param message as sent by the sender's {@link Wire}; must not be changed afterwards
     */
    void received(NodeRef from, byte[] message);

    /**
     * Returns how many messages could not be decoded, or claimed another sender or recipient.
     *
     * @return 0 or more, never decreasing
     */
    long malformedMessages();

    /**
     * Reports that this member can no longer take part although it was not closed.
     *
     * @return a stage that completes with the reason, one line for people that names the remedy
     */
    CompletionStage<String> failure();

    /**
     * Ends the member's part: on return neither applier nor wire is called any more, files are released, and all calls
     * complete, those under way with an unknown outcome. May be repeated, also before the start.
     */
    @Override
    void close();
}
