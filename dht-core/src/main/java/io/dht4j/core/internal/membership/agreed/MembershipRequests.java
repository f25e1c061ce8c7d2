package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.distribution.InstalledState;
import io.dht4j.core.internal.membership.agreed.formation.Bootstrap;
import io.dht4j.core.internal.membership.agreed.formation.DuplicateNodeCheck;
import io.dht4j.core.internal.membership.agreed.formation.FoundersCodec;
import io.dht4j.core.internal.membership.agreed.formation.StartWait;
import io.dht4j.core.internal.membership.agreed.peer.ForeignNodes;
import io.dht4j.core.internal.membership.agreed.peer.MembershipEndpoint;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.codec.MalformedStateException;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.wire.MembershipReply;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Serves the requests of other nodes about membership. Does not block; safe for use by any number of threads. */
final class MembershipRequests implements MembershipEndpoint.Service {

    private final NodeId self;
    private final UUID incarnation;
    private final MemberDirectory members;
    private final InstalledState installed;
    private final LogMember log;
    private final @Nullable Bootstrap bootstrap;
    private final StartWait wait;
    private final ForeignNodes foreign;
    private final Admissions admissions;
    private final NodeReports reports;
    private final SilenceExchange silences;
    private final DuplicateNodeCheck twin;

    /**
     * Creates the service of a node.
     *
     * @param self the node
     * @param incarnation its stored incarnation
     * @param members the newest state
     * @param installed the state that others may fetch
     * @param log appends commands, and takes messages of the log
     * @param bootstrap the formation of the cluster; null if the node joins
     * @param wait the progress of the start
     * @param foreign records callers of other clusters
     * @param admissions admits bearers of a join token
     * @param reports the reports of this node
     * @param silences the times at which members were last heard
     * @param twin records requests that this node has sent to itself
     */
    MembershipRequests(
            NodeId self,
            UUID incarnation,
            MemberDirectory members,
            InstalledState installed,
            LogMember log,
            @Nullable Bootstrap bootstrap,
            StartWait wait,
            ForeignNodes foreign,
            Admissions admissions,
            NodeReports reports,
            SilenceExchange silences,
            DuplicateNodeCheck twin) {
        this.self = self;
        this.incarnation = incarnation;
        this.members = members;
        this.installed = installed;
        this.log = log;
        this.bootstrap = bootstrap;
        this.wait = wait;
        this.foreign = foreign;
        this.admissions = admissions;
        this.reports = reports;
        this.silences = silences;
        this.twin = twin;
    }

    @Override
    public CompletionStage<? extends Reply> serve(NodeId sender, MembershipRequest request, CallContext context) {
        try {
            if (request instanceof MembershipRequest.LogPart part) {
                if (!log.messages.received(sender, part)) {
                    throw DhtException.of(
                            ErrorCode.WRONG_RECIPIENT,
                            "node " + self + " takes no message of " + sender + " for the member of the topology log "
                                    + part.to());
                }
                return CompletableFuture.completedFuture(new MembershipReply.Taken());
            }
            if (request instanceof MembershipRequest.State wanted) {
                return CompletableFuture.completedFuture(part(sender, wanted));
            }
            if (request instanceof MembershipRequest.Report report) {
                requireMember(sender, report.cluster());
                twin.received(sender);
                return CompletableFuture.completedFuture(reports.serve(sender, report));
            }
            if (request instanceof MembershipRequest.Silence question) {
                requireMember(sender, question.cluster());
                return CompletableFuture.completedFuture(silences.serve(question));
            }
            if (request instanceof MembershipRequest.Admit admit) {
                return admissions.admit(sender, admit);
            }
            return request instanceof MembershipRequest.Append append
                    ? append(sender, append, context)
                    : CompletableFuture.completedFuture(founder(sender, (MembershipRequest.Found) request));
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Reply founder(NodeId sender, MembershipRequest.Found found) {
        Optional<UUID> cluster = installed.state().map(ClusterState::cluster);
        if (bootstrap == null) {
            if (cluster.isEmpty()) {
                // A mistyped option of one node does not end the start of another.
                throw DhtException.of(
                        ErrorCode.NOT_SERVING,
                        "node " + self + " was started with Membership.join, and forms no cluster: start all"
                                + " nodes of the list with the same Membership.bootstrap");
            }
            return new MembershipReply.Founder(incarnation, cluster, new byte[0], "");
        }
        return new MembershipReply.Founder(
                incarnation,
                cluster,
                bootstrap.founders().map(FoundersCodec::encode).orElseGet(() -> new byte[0]),
                cluster.isPresent() ? "" : bootstrap.refusal(sender, found.proposal()));
    }

    private Reply part(NodeId sender, MembershipRequest.State wanted) {
        Optional<InstalledState.Installed> now = installed.current();
        if (now.isEmpty()) {
            return new MembershipReply.StatePart(Optional.empty(), 0, 0, new byte[0]);
        }
        ClusterState state = now.get().state();
        if (wanted.cluster().isPresent() && !wanted.cluster().get().equals(state.cluster())) {
            foreign.called(sender, wanted.cluster().get(), state.cluster());
            throw DhtException.of(
                    ErrorCode.PLACEMENT_MISMATCH,
                    "node " + self + " belongs to the cluster " + state.cluster() + ", not to "
                            + wanted.cluster().get());
        }
        byte[] all = now.get().encoded();
        boolean isOther = wanted.want() != 0 && wanted.want() != state.epoch();
        if (state.epoch() <= wanted.have() || isOther || wanted.offset() >= all.length) {
            return new MembershipReply.StatePart(Optional.of(state.cluster()), state.epoch(), 0, new byte[0]);
        }
        int end = (int) Math.min(all.length, (long) wanted.offset() + MembershipRequest.MAX_BYTES);
        return new MembershipReply.StatePart(
                Optional.of(state.cluster()), state.epoch(), all.length, Arrays.copyOfRange(all, wanted.offset(), end));
    }

    private CompletionStage<Appended> append(NodeId sender, MembershipRequest.Append append, CallContext context) {
        ClusterState state = requireMember(sender, append.cluster());
        boolean isMember = state.members()
                .named(sender)
                .filter(member -> member.lifecycle().isPresent())
                .isPresent();
        if (!isMember && !isOwnJoin(sender, append.command(), state)) {
            // The sender's caller may ask another node.
            return CompletableFuture.completedFuture(new Appended(
                    Outcome.NOT_SENT, 0, sender + " is no member, and may only join itself", Optional.empty()));
        }
        return log.commands.appendHere(append.command(), context);
    }

    private ClusterState requireMember(NodeId sender, UUID cluster) {
        Optional<ClusterState> state = members.state();
        if (state.isPresent() && state.get().cluster().equals(cluster)) {
            return state.get();
        }
        state.ifPresent(own -> foreign.called(sender, cluster, own.cluster()));
        throw DhtException.of(
                ErrorCode.PLACEMENT_MISMATCH, "node " + self + " does not belong to the cluster " + cluster);
    }

    private static boolean isOwnJoin(NodeId sender, byte[] bytes, ClusterState state) {
        try {
            Command command = CommandCodec.decode(bytes);
            if (command instanceof Command.Replace replace) {
                return state.members().has(replace.member())
                        && state.members().get(replace.member()).name().equals(sender);
            }
            return command instanceof Command.Join join && join.name().equals(sender);
        } catch (MalformedStateException e) {
            return false;
        }
    }

    @Override
    public boolean mayCall(String name) {
        boolean isFounder = bootstrap != null && bootstrap.isFounder(name);
        return members.state()
                .map(state -> state.members().all().stream()
                        .anyMatch(member ->
                                member.name().value().equals(name) && member.lifecycle() != Lifecycle.REMOVED))
                .orElse(isFounder);
    }

    @Override
    public boolean wasRemoved(String name) {
        return members.state().stream()
                .flatMap(state -> state.members().all().stream())
                .anyMatch(member -> member.name().value().equals(name) && member.lifecycle() == Lifecycle.REMOVED);
    }

    @Override
    public boolean admitsStrangers() {
        return admissions.areOpen();
    }

    @Override
    public String waiting() {
        return wait.text();
    }
}
