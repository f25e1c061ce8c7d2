package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.PlannedBatch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the moves of slots and the lifecycles of members, on the node that leads the topology log. Each round asks
 * members for their reports, decides by {@link Decisions}, and appends one command. Two drivers do no harm, since
 * commands expect an epoch. A new driver continues where the former one has ended, since all decisions depend on the
 * agreed state.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class Driver {

    private static final Logger LOG = LoggerFactory.getLogger(Driver.class);

    /** The pause between rounds while a step waits. */
    private static final Duration BUSY = Duration.ofSeconds(1);

    /** The pause between rounds while no step waits. */
    private static final Duration IDLE = Duration.ofSeconds(3);

    /** How many members of a large cluster are asked in a round, one group after the other. */
    private static final int MOST_BY_TURN = 64;

    private final Cluster cluster;
    private final Environment environment;
    private final MemberWatch watch;

    private volatile List<Wait> waits = List.of();
    /** The command that the state has refused last, if none was accepted since, and why. */
    private volatile String refusal = "";

    // Guarded by this.
    private final Planning planning = new Planning();
    private final ObservedTimes times;
    private Environment.Timer timer = () -> {};
    private boolean running;
    private boolean again;
    private boolean leading;
    private boolean logChanges;
    private boolean closed;
    private int turn;

    /**
     * Options of a driver.
     *
     * @param versionSlotRest how long the version slot of a removed member stays reserved
     */
    public record Options(Duration versionSlotRest) {}

    /** The cluster as a driver sees it. */
    public interface Cluster {

        /** Returns whether this node leads the log. */
        boolean leads();

        /** Returns the members of the log. */
        List<NodeRef> log();

        /** Returns the newest agreed state that this node has applied; empty before the first one. */
        Optional<ClusterState> state();

        /** Asks a member, which may be this node, for its report. */
        CompletableFuture<Reported> report(Member member);

        /** Appends a command at this node; never fails. */
        CompletableFuture<Appended> append(Command command);

        /** Changes the members of the log. */
        CompletableFuture<Void> changeLog(List<NodeRef> members);

        /** Plans moves. Takes a second for large clusters. */
        Plan plan(ClusterState state);
    }

    /**
     * Creates a driver that has not begun.
     *
     * @param cluster the cluster
     * @param environment time, timers and threads
     * @param options its options
     */
    public Driver(Cluster cluster, Environment environment, Options options) {
        this.cluster = cluster;
        this.environment = environment;
        this.times = new ObservedTimes(options.versionSlotRest());
        this.watch = new MemberWatch(cluster::report, environment::nanoTime);
    }

    /**
     * Returns the obstacles that belong to neither a batch nor a member, as of the last round: lines for people. None
     * unless this node leads.
     */
    public List<String> waits() {
        if (!cluster.leads()) {
            return List.of();
        }
        Stream<String> ofCluster = waits.stream()
                .filter(wait -> wait.batch().isEmpty() && wait.member().isEmpty())
                .map(Wait::text);
        return Stream.concat(Stream.of(refusal).filter(text -> !text.isEmpty()), ofCluster)
                .toList();
    }

    /**
     * Returns how long a member has not answered this node since it leads.
     *
     * @param member the number of the member
     * @return empty if it answers, has not been asked yet, or this node does not lead
     */
    public Optional<Duration> silence(int member) {
        return Optional.ofNullable(watch.silences().get(member));
    }

    /** Begins the rounds, which check whether this node leads. */
    public void start() {
        wake();
    }

    /** Begins a round at once: the state, the leader or the requested changes differ. */
    public void wake() {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (running) {
                again = true;
                return;
            }
            running = true;
            timer.cancel();
        }
        execute(this::round);
    }

    /** Ends the rounds. */
    public synchronized void close() {
        closed = true;
        timer.cancel();
    }

    private void execute(Runnable task) {
        try {
            environment.executor().execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    LOG.error("a round of the driver of moves fails", e);
                    rest(BUSY);
                }
            });
        } catch (RejectedExecutionException e) {
            close();
        }
    }

    private void round() {
        Optional<ClusterState> state = cluster.leads() ? cluster.state() : Optional.empty();
        if (state.isEmpty()) {
            lead(false);
            rest(IDLE);
            return;
        }
        lead(true);
        watch.retain(state.get());
        watch.ask(toAsk(state.get())).whenComplete((asked, error) -> execute(this::planned));
    }

    private synchronized void lead(boolean now) {
        if (leading != now) {
            leading = now;
            refusal = "";
            planning.reset();
            times.reset();
            watch.reset();
        }
    }

    /** Returns all members of a small cluster; of a large one those with pending steps, and a group of the others. */
    private synchronized List<Member> toAsk(ClusterState state) {
        List<Member> present = state.members().all().stream()
                .filter(member -> member.lifecycle().isPresent())
                .toList();
        if (present.size() <= MOST_BY_TURN) {
            return present;
        }
        Set<Integer> chosen = new LinkedHashSet<>(state.members().voters());
        for (Batch batch : state.batches()) {
            chosen.add(batch.from());
            chosen.add(batch.to());
        }
        planning.plan(state)
                .ifPresent(plan ->
                        plan.batches().stream().mapToInt(PlannedBatch::to).forEach(chosen::add));
        for (int i = 0; i < MOST_BY_TURN; i++) {
            chosen.add(present.get(Math.floorMod(turn++, present.size())).number());
        }
        present.stream()
                .filter(member -> member.lifecycle() != Lifecycle.SERVING)
                .forEach(member -> chosen.add(member.number()));
        return present.stream()
                .filter(member -> chosen.contains(member.number()))
                .toList();
    }

    /** Plans first, if a plan is due. */
    private void planned() {
        Optional<ClusterState> state = cluster.leads() ? cluster.state() : Optional.empty();
        if (state.isEmpty()) {
            rest(BUSY);
            return;
        }
        boolean due;
        synchronized (this) {
            planning.observe(state.get(), environment.nanoTime());
            due = planning.isDue(state.get(), environment.nanoTime());
        }
        if (!due) {
            decide(state.get());
            return;
        }
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    Plan plan = cluster.plan(state.get());
                    synchronized (this) {
                        planning.follow(plan, state.get());
                    }
                    LOG.info(
                            "{} partitions are to move in {} batches",
                            plan.moves(),
                            plan.batches().size());
                    execute(() -> decide(state.get()));
                } catch (RuntimeException | Error e) {
                    LOG.error("moves cannot be planned", e);
                    rest(IDLE);
                }
            });
        } catch (RejectedExecutionException e) {
            close();
        }
    }

    private void decide(ClusterState state) {
        Decision decision = Decisions.next(observation(state));
        waits = decision.waits();
        Optional<Step> step = decision.step();
        if (step.isEmpty()) {
            rest(decision.waits().isEmpty() ? IDLE : BUSY);
        } else if (step.get() instanceof Step.Append append) {
            append(append.command());
        } else if (step.get() instanceof Step.ChangeLog change) {
            changeLog(change.members());
        }
    }

    private synchronized Observation observation(ClusterState state) {
        long now = environment.nanoTime();
        Map<Integer, Reported> reports = watch.reports();
        return new Observation(
                state,
                reports,
                watch.silences(),
                times.snapshotWaits(state, reports, now),
                planning.plan(state),
                planning.startsIn(state, now),
                cluster.log(),
                logChanges,
                times.releasable(state, now));
    }

    private void append(Command command) {
        cluster.append(command).whenComplete((appended, error) -> {
            if (error == null && appended.outcome() == Outcome.ACCEPTED) {
                LOG.info("epoch {}: {}", Epoch.text(appended.epoch()), CommandText.of(command));
                refusal = "";
                execute(this::round);
                return;
            }
            if (error == null && appended.outcome() == Outcome.REFUSED) {
                refused(command, appended.reason());
            } else {
                LOG.debug("{} is not appended: {}", CommandText.of(command), error == null ? appended.reason() : error);
            }
            rest(BUSY);
        });
    }

    /** The rules of the state differ from those of the decisions, and all further steps wait for this command. */
    private void refused(Command command, String reason) {
        String text = CommandText.of(command) + " is refused: " + reason;
        if (!text.equals(refusal)) {
            LOG.warn("a change by the driver of moves: {}", text);
        }
        refusal = text;
    }

    private void changeLog(List<NodeRef> members) {
        synchronized (this) {
            logChanges = true;
        }
        LOG.info("the members of the topology log become {}", members);
        CompletableFuture<Void> change;
        try {
            change = cluster.changeLog(members);
        } catch (RuntimeException | Error e) {
            change = CompletableFuture.failedFuture(e);
        }
        change.whenComplete((changed, error) -> {
            synchronized (this) {
                logChanges = false;
            }
            if (error != null) {
                LOG.info("the members of the topology log do not change yet: {}", error.getMessage());
            } else {
                wake();
            }
        });
        rest(BUSY);
    }

    /** Ends a round. */
    private void rest(Duration time) {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (!again) {
                running = false;
                timer = environment.schedule(this::wake, time.toNanos());
                return;
            }
            again = false;
        }
        execute(this::round);
    }

    /**
     * Observes a command that was accepted here. Moves that are resumed, settings that are in force already, and
     * another replication factor demand a plan. An aborted batch makes the plan obsolete.
     *
     * @param command the command
     * @param before the state before it
     */
    public void accepted(Command command, ClusterState before) {
        boolean resumes = command instanceof Command.SetRebalance set
                && !set.settings().paused()
                && set.settings().bytesPerSecond() == before.rebalance().bytesPerSecond();
        synchronized (this) {
            if (resumes || command instanceof Command.SetReplicationFactor) {
                planning.demand();
            } else if (command instanceof Command.AbortBatch) {
                planning.drop();
            }
        }
        wake();
    }
}
