package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.ViewSource;
import io.dht4j.core.internal.membership.agreed.distribution.InstalledState;
import io.dht4j.core.internal.membership.agreed.distribution.StateFetch;
import io.dht4j.core.internal.membership.agreed.distribution.StatePulls;
import io.dht4j.core.internal.membership.agreed.formation.Bootstrap;
import io.dht4j.core.internal.membership.agreed.formation.DuplicateNodeCheck;
import io.dht4j.core.internal.membership.agreed.formation.Founders;
import io.dht4j.core.internal.membership.agreed.formation.Founding;
import io.dht4j.core.internal.membership.agreed.formation.JoinPath;
import io.dht4j.core.internal.membership.agreed.formation.Joining;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes.Identity;
import io.dht4j.core.internal.membership.agreed.formation.OwnIdentity;
import io.dht4j.core.internal.membership.agreed.formation.RestartCheck;
import io.dht4j.core.internal.membership.agreed.formation.StartWait;
import io.dht4j.core.internal.membership.agreed.log.ReplicatedState;
import io.dht4j.core.internal.membership.agreed.peer.MembershipEndpoint;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.agreed.peer.NodeTransport;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.driver.Driver;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Origin;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.Placement;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the membership of a node in an agreed cluster, from the start of the node to its end. Does not block, except
 * where it says so; safe for use by any number of threads.
 */
public final class AgreedMembership {

    private final NodeId self;
    private final Membership options;
    private final Founding founding;
    private final Transport transport;
    private final Environment environment;
    private final NodeNotes notes;
    private final Identity identity;
    private final InstalledState installed;
    private final MembershipRequestSender requests;
    private final MemberDirectory members;
    private final StatePulls pulls;
    private final StateChanges changes;
    private final LogMember logMember;
    private final Driver driver;
    private final MembershipEndpoint endpoint;
    private final NodeReports reports;
    private final SilenceExchange silences;
    private final OwnAttributes own;
    private final DuplicateNodeCheck twin;
    private final Recovery recovery;
    private final List<Consumer<ClusterState>> followers = new CopyOnWriteArrayList<>();
    private final StartWait wait;
    private final OwnLifecycle lifecycle;
    /** Whether the node was a member before this start. */
    private volatile boolean restarts;

    private final @Nullable Bootstrap bootstrap;

    /**
     * The configuration of moves, for a node that leads.
     *
     * @param placement determines which partitions members prefer
     * @param versionSlotRest how long the version slot of a removed member stays reserved
     */
    public record Driving(Placement placement, Duration versionSlotRest) {}

    /**
     * Creates the membership of a node that has not started. Blocks: reads the node's metadata, and creates its
     * identity at the first start.
     *
     * @param options how the node becomes a member
     * @param founding the settings of the node
     * @param driving the configuration of moves, for a node that leads
     * @param store the node's store, which is bound on return
     * @param transport the node's transport, which has not started
     * @param environment time, random numbers, threads and timers
     * @param hash maps keys to partitions
     * @param observations receives the end of each request about membership
     * @throws IllegalStateException if the directory is of another cluster or damaged, or is not empty where it must be
     * @throws IllegalArgumentException if the settings cannot be those of a cluster
     */
    public AgreedMembership(
            Membership options,
            Founding founding,
            Driving driving,
            Store store,
            Transport transport,
            Environment environment,
            HashFunction hash,
            Observations observations) {
        this.self = options.self().id();
        this.options = options;
        this.founding = founding;
        this.transport = transport;
        this.environment = environment;
        this.notes = new NodeNotes(store, self);
        this.wait = new StartWait(self);
        this.identity = OwnIdentity.of(options, founding, store, notes, environment);
        this.lifecycle = new OwnLifecycle(self, identity.incarnation());
        this.installed = new InstalledState(notes, identity, self, hash, environment, this::storing, this::installed);
        this.requests = new MembershipRequestSender(
                self, transport, environment, installed::epoch, installed::cluster, observations);
        this.bootstrap = options.origin() == Origin.BOOTSTRAP ? bootstrap() : null;
        this.members = new MemberDirectory(identity.incarnation(), this::newest, this::founders);
        this.pulls = new StatePulls(requests, environment, installed, members::others);
        this.logMember =
                new LogMember(self, options.log(), environment, notes, requests, members, this::replicatedState);
        this.changes = new StateChanges(
                self,
                members,
                logMember.commands,
                installed,
                pulls,
                environment,
                wait::text,
                node -> requests.silence().of(node).isPresent());
        this.reports = new NodeReports(
                identity.incarnation(),
                requests,
                installed::epoch,
                logMember::leads,
                sender -> members.node(sender).ifPresent(pulls::tryFrom),
                new SpaceSample(store, environment),
                this::waits);
        this.driver = new Driver(
                new DrivenCluster(logMember, reports, requests, driving.placement()),
                environment,
                new Driver.Options(driving.versionSlotRest()));
        logMember.commands.follower(driver::accepted);
        this.silences = new SilenceExchange(
                identity.incarnation(), members, requests, installed::epoch, installed::diverged, environment);
        logMember.commands.guard(
                new SilenceGuard(self, identity.incarnation(), requests.silence(), silences, driver::silence));
        this.own = new OwnAttributes(options, identity.incarnation(), installed::state, changes, environment);
        this.twin = new DuplicateNodeCheck(options.self(), identity.incarnation(), requests);
        this.recovery =
                new Recovery(identity.incarnation(), installed, reports, silences, this::fetch, environment::nanoTime);
        this.endpoint = new MembershipEndpoint(
                self,
                requests,
                new MembershipRequests(
                        self,
                        identity.incarnation(),
                        members,
                        installed,
                        logMember,
                        bootstrap,
                        wait,
                        requests.foreign(),
                        new Admissions(self, options.joinToken(), members, changes, environment),
                        reports,
                        silences,
                        twin));
    }

    /** Describes what this node waits for in the agreement, for people. */
    private List<String> waits() {
        return Stream.of(installed.trouble().stream(), logMember.trouble().stream(), driver.waits().stream())
                .flatMap(lines -> lines)
                .toList();
    }

    private ReplicatedState replicatedState() {
        FirstCommand first =
                new FirstCommand(logMember, founding, this::founders, installed::state, requests, environment);
        return new ReplicatedState(
                this::applied,
                leads -> environment.executor().execute(() -> {
                    first.append();
                    driver.wake();
                }));
    }

    /** The log has produced a state. Called on its lane. */
    private void applied(ClusterState state) {
        installed.offer(state);
        if (state.epoch() == installed.epoch()) {
            // A state from before a restart, or of another node: there is no applied index to store first.
            logMember.noteAppliedLater();
        }
    }

    /**
     * Sets the source of the partitions in which this node lacks entries that it may have acknowledged. Before, these
     * are the partitions in which it has diverged. While there are some, a death that may lose these entries is
     * rejected.
     */
    public void incomplete(Supplier<PartitionSet> source) {
        silences.incomplete(source);
    }

    /** Returns the reports of the members about themselves. */
    public NodeReports reports() {
        return reports;
    }

    /**
     * Passes each state on once it is installed, in their order, on a store thread.
     *
     * @param follower must neither block nor throw
     * @return ends this
     */
    public Runnable follow(Consumer<ClusterState> follower) {
        followers.add(follower);
        return () -> followers.remove(follower);
    }

    private Bootstrap bootstrap() {
        return new Bootstrap(
                self,
                identity.incarnation(),
                founding.proposal(),
                notes.founders(),
                requests,
                environment,
                this::fetch,
                installed::offer,
                wait,
                this::found);
    }

    private Optional<Founders> founders() {
        return bootstrap == null ? Optional.empty() : bootstrap.founders();
    }

    private Optional<ClusterState> newest() {
        Optional<ClusterState> applied = logMember.state();
        Optional<ClusterState> own = installed.state();
        return applied.isPresent()
                        && (own.isEmpty() || applied.get().epoch() > own.get().epoch())
                ? applied
                : own;
    }

    /**
     * Starts to listen, and becomes a member. A node with an agreed state becomes one within about two seconds.
     *
     * @return completes when a state is installed; fails with an {@link IllegalStateException} that names the reason,
     *     or the nodes that have not answered
     */
    public CompletableFuture<Void> start() {
        CompletableFuture<Void> started = new CompletableFuture<>();
        wait.limit(options.startTimeout(), environment);
        try {
            transport.start(endpoint).whenComplete((listening, error) -> {
                if (error != null) {
                    started.completeExceptionally(DhtException.unwrap(error));
                } else {
                    onStore(this::enter, started);
                }
            });
        } catch (RuntimeException | Error e) {
            started.completeExceptionally(e);
        }
        wait.over().whenComplete((done, error) -> {
            if (error == null) {
                own.start();
                started.complete(null);
            } else {
                started.completeExceptionally(error);
            }
        });
        return started;
    }

    private void onStore(Runnable task, CompletableFuture<Void> started) {
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    started.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            started.completeExceptionally(new IllegalStateException("node " + self + " is closed", e));
        }
    }

    private void enter() {
        installed.restore(state -> {
            founding.requireAgreed(self, state.settings());
            restarts = true;
        });
        pulls.start();
        silences.start();
        Optional<Founders> founders = notes.founders();
        if (restarts) {
            installed.state().ifPresent(this::restartAlone);
            return;
        }
        if (bootstrap == null && founders.isPresent()) {
            // The others may need its vote, and as the leader it could not form the cluster.
            throw new IllegalStateException("node " + self + " has begun to form the cluster "
                    + founders.get().cluster() + ", and has no agreed state yet: start it with Membership.bootstrap of "
                    + founders.get().proposal().list());
        }
        driver.start();
        founders.ifPresent(logMember::found);
        if (bootstrap != null) {
            bootstrap.start();
        } else {
            new Joining(
                            self,
                            identity.incarnation(),
                            OwnAttributes.of(options),
                            founding.claims(),
                            new JoinPath(options, identity.incarnation(), requests, environment),
                            requests,
                            environment,
                            this::fetch,
                            installed::offer,
                            wait)
                    .start();
        }
    }

    /**
     * A member that was started at a new address restarts once no duplicate of it has answered at the agreed address.
     */
    private void restartAlone(ClusterState state) {
        Optional<Node> agreed = twin.agreed(state);
        if (agreed.isEmpty()) {
            restart(state);
            return;
        }
        twin.ask(agreed.get(), state)
                .thenAccept(refusal -> refusal.ifPresentOrElse(
                        wait::fail, () -> onStore(() -> installed.state().ifPresent(this::restart), wait.over())));
    }

    /** Serves with the installed state once the others had time to object: reads and writes do not need the log. */
    private void restart(ClusterState state) {
        lifecycle.in(state).ifPresent(member -> logMember.resume(state, member));
        driver.start();
        new RestartCheck(options, identity.incarnation(), state.cluster(), requests, environment, pulls::from, wait)
                .start(Stream.concat(members.voters().stream(), members.others().stream())
                        .distinct()
                        .toList());
    }

    private CompletableFuture<Optional<ClusterState>> fetch(Node node) {
        return StateFetch.from(
                requests, environment, node, installed.cluster(), installed.epoch(), MembershipRequestSender.TIMEOUT);
    }

    /** Stores a list of founders, and takes part in the log. Blocks. */
    private void found(Founders founders) {
        notes.keep(founders);
        logMember.found(founders);
    }

    /** A state is about to be stored. On a store thread. */
    private void storing() {
        logMember.noteApplied();
    }

    /** A state is installed. On a store thread. */
    private void installed(ClusterState state) {
        requests.silence()
                .retain(state.members().all().stream()
                        .filter(member -> member.lifecycle() != Lifecycle.REMOVED)
                        .map(Member::name)
                        .collect(Collectors.toSet()));
        lifecycle
                .follow(state)
                .ifPresentOrElse(
                        member -> {
                            logMember.follow(state, member);
                            driver.wake();
                            if (!restarts) {
                                wait.done();
                            }
                            followers.forEach(follower -> follower.accept(state));
                        },
                        () -> lifecycle.end().thenAccept(wait::fail));
    }

    /** Returns the installed state; empty before the first one. */
    public Optional<ClusterState> state() {
        return installed.state();
    }

    /** Returns whether this node has left the cluster, rather than being declared dead. */
    public boolean isRemoved() {
        return lifecycle.isRemoved();
    }

    /** Returns the client addresses of the present members that have published them, by the installed state. */
    public Map<NodeId, List<String>> publicAddresses() {
        return state().map(MemberDirectory::publicAddresses).orElse(Map.of());
    }

    /** Returns this node as a member, as of the installed state. */
    public Member member() {
        return state().flatMap(state -> state.members().incarnation(identity.incarnation()))
                .orElseThrow();
    }

    /**
     * Returns the views of the node.
     *
     * @throws java.util.NoSuchElementException before the first state
     */
    public Views views() {
        return installed.current().orElseThrow().views();
    }

    /** Returns the node's transport, which is already started. Closing it ends this membership. */
    public Transport transport() {
        return new NodeTransport(transport, endpoint, lifecycle.end(), this::close);
    }

    /** Returns the source of newer views. */
    public ViewSource source() {
        return new MemberViews(installed, pulls);
    }

    /** Returns how many messages between members of the log were dropped because of a wrong sender or recipient. */
    public long droppedMessages() {
        return logMember.messages.dropped();
    }

    /**
     * Changes the agreed state. The command is planned again on the newest state if another command came first.
     *
     * @param plan creates the command from the newest state; none if no change is needed
     * @return the epoch of the change, or of a state that needs none, once this node has installed it; fails with a
     *     {@link io.dht4j.DhtException} if the state refuses it, or no leader is found in time
     */
    public CompletableFuture<Long> change(Function<ClusterState, Optional<Command>> plan) {
        return changes.change(plan);
    }

    /**
     * Begins the next generation after the majority of the voters was lost, on an operator's command.
     *
     * @param lost the nodes that never return with their state. Every other present node must answer
     * @param acceptDataLoss whether to continue although a lost node still answers another one
     * @return the epoch of the recovered state, once this node has installed it; the others fetch it. Fails with a
     *     {@link io.dht4j.DhtException} that names the remedy if a majority may be left, or a node neither is lost nor
     *     answers
     */
    public CompletableFuture<Long> recover(Set<NodeId> lost, boolean acceptDataLoss) {
        return recovery.begin(lost, acceptDataLoss);
    }

    /** Describes what the start of the node waits for, one line for people. */
    public String waiting() {
        return wait.text();
    }

    /** Ends this membership. Closes neither transport nor store. Blocks for a short time. */
    public void close() {
        own.close();
        driver.close();
        pulls.close();
        silences.close();
        logMember.commands.close();
        wait.fail("node " + self + " is closed");
        installed.close();
        logMember.close();
    }
}
